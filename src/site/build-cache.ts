/**
 * A cache on disk of what earlier starts have made from files. Reading Markdown and YAML takes
 * longer than all the rest of a start.
 */
import { hash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { ReportFailure } from '../log.ts'
import { filesIn } from './files-in.ts'

/** Files in the folder, each some hundred kilobytes. */
const mostFiles = 64

export type BuildCache<T> = {
  has: () => boolean
  /** `undefined`: there is none, or it is damaged. */
  read: () => T | undefined
  /** Where it cannot be written, that is reported, and the next start takes longer. */
  write: (value: T) => void
}

/** `folder` is made when something is written. */
export function openBuildCache<T>(
  folder: string,
  name: string,
  reportFailure: ReportFailure,
): BuildCache<T> {
  const file = join(folder, `${name}.bin`)
  return {
    has: () => existsSync(file),
    read() {
      try {
        return existsSync(file) ? (withoutDigest(readFileSync(file)) as T) : undefined
      } catch (error) {
        reportFailure('site.cache-not-read', error)
        return undefined
      }
    },
    write(value) {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const unfinished = `${file}.${process.pid}`
        writeFileSync(unfinished, withDigest(value))
        renameSync(unfinished, file)
        removeOldest(folder)
      } catch (error) {
        reportFailure('site.cache-not-written', error)
      }
    },
  }
}

/** A digest comes first, so that damage is noticed. */
function withDigest(value: unknown): Buffer {
  const bytes = serialize(value)
  return Buffer.concat([Buffer.from(hash('sha256', bytes), 'hex'), bytes])
}

function withoutDigest(bytes: Buffer): unknown {
  const [digest, rest] = [bytes.subarray(0, 32), bytes.subarray(32)]
  return hash('sha256', rest) === digest.toString('hex') ? deserialize(rest) : undefined
}

function removeOldest(folder: string): void {
  const newestFirst = filesIn(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .sort((a, b) => b.at - a.at)
  for (const { path } of newestFirst.slice(mostFiles)) rmSync(path, { force: true })
}

/** `inputs`: files, and folders whose every file counts; `also`: whatever else a value depends on. */
export function cacheKey(inputs: readonly string[], also: readonly string[]): string {
  const parts = [process.version, ...also]
  for (const input of inputs) {
    const files = statSync(input).isFile() ? [''] : filesIn(input)
    for (const path of files) {
      parts.push(path, hash('sha256', readFileSync(join(input, path))))
    }
  }
  return hash('sha256', JSON.stringify(parts))
}
