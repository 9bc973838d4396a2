/** `manifest.json` of a bundle: what it holds, of which installation, made by what. */
import { createHmac } from 'node:crypto'
import { BundleRefused } from './refused.ts'

export type Part = { path: string; bytes: number; sha256: string }

export type Manifest = {
  /** Of this file. A reader that knows less refuses a higher number. */
  format: 1
  program: string
  /** When the copy of the database was begun, as ISO 8601. */
  made: string
  /** The bundle always holds a SQLite file; this is what it was copied from. */
  engine: 'sqlite' | 'postgres'
  schema: number
  installation: string
  leads: number
  events: number
  /** Leads on the disk of this node that wait for PostgreSQL: they are not in the bundle. */
  spool?: { machine: string; leads: number }
  parts: Part[]
}

export const manifestName = 'manifest.json'
export const databaseName = 'leads.sqlite'
export const secretName = 'secret'
export const contentName = 'content'

/** Names an installation without giving its secret away. All nodes have the same. */
export function installationOf(secret: Buffer): string {
  return createHmac('sha256', secret).update('installation').digest('hex').slice(0, 16)
}

export function readManifest(text: string): Manifest {
  let manifest: unknown
  try {
    manifest = JSON.parse(text)
  } catch {
    throw new BundleRefused('its manifest cannot be read')
  }
  if (!isObject(manifest)) throw new BundleRefused('its manifest cannot be read')
  if (typeof manifest['format'] === 'number' && manifest['format'] > 1) {
    throw new BundleRefused('it was made by a newer version of this program; use that')
  }
  if (!isManifest(manifest)) throw new BundleRefused('its manifest is not one of this program')
  return manifest
}

/** What is left out or added does no harm: counts are compared with the database. */
function isManifest(told: Record<string, unknown>): told is Record<string, unknown> & Manifest {
  const { format, program, made, leads, installation, parts } = told
  return (
    format === 1 &&
    [program, made, installation].every((each) => typeof each === 'string') &&
    typeof leads === 'number' &&
    Array.isArray(parts) &&
    parts.every((part) => isObject(part) && typeof part['path'] === 'string')
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
