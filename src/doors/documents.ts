/** Documents for agents, and the files of the site: the same for all clients, made once. */
import type { Document } from '../discovery/documents.ts'
import { inertHeaders } from '../http/message.ts'
import { createResource, type Resource } from './resource.ts'
import type { PublicFile } from '../site/public-files.ts'

// A drawing may hold a style of its own.
const inert = [...inertHeaders("style-src 'unsafe-inline'; "), 'Vary', 'Accept-Encoding']

export function documentResource({ type, body, headers }: Document): Resource {
  const about = ['Content-Type', type, 'Cache-Control', 'public, max-age=3600']
  return createResource({ body: () => body, headers: [...about, ...headers, ...inert] })
}

export function fileResource({ type, body }: PublicFile): Resource {
  const about = ['Content-Type', type, 'Cache-Control', 'public, max-age=86400']
  return createResource({ body: () => body, headers: [...about, ...inert] })
}
