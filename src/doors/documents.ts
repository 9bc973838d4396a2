/** Documents for agents, and the files of the site: the same for everybody, made once. */
import type { Document } from '../discovery/documents.ts'
import { createResource } from '../http/resource.ts'
import type { Resource } from '../http/resource.ts'
import type { PublicFile } from '../site/public-files.ts'

const inert = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  // A drawing may hold a style of its own.
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Vary',
  'Accept-Encoding',
]

export function documentResource({ path, type, body, headers }: Document): Resource {
  const about = ['Content-Type', type, 'Cache-Control', 'public, max-age=3600']
  return createResource({ name: path, body: () => body, headers: [...about, ...headers, ...inert] })
}

export function fileResource({ path, type, body }: PublicFile): Resource {
  const about = ['Content-Type', type, 'Cache-Control', 'public, max-age=86400']
  return createResource({ name: path, body: () => body, headers: [...about, ...inert] })
}
