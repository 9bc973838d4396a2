/** Pages as a service sends them, fetched before a measurement. */
import { get } from 'node:http'
import type { Program } from './programs.ts'
import { startServer } from './server-process.ts'

export type Page = { body: Buffer; etag: string; encoding: string | undefined }

const deadlineMs = 30_000

/** The home page. Waits until it is compressed when `encoding` asks for that. */
export function fetchPage(service: Program, accept: string, encoding: string): Promise<Page> {
  return fetchCompressed(service, '/', { accept, 'accept-encoding': encoding })
}

/**
 * Waits until a service has compressed all pages. It does so after the start and caches them for the
 * next one, so none of that work falls into a later measurement. The page fetched is the last made.
 */
export async function fillSiteCache(service: Program): Promise<void> {
  const headers = { accept: 'text/markdown', 'accept-encoding': 'gzip' }
  await fetchCompressed(service, '/missing', headers)
}

type Headers = { accept: string; 'accept-encoding': string }

async function fetchCompressed(service: Program, path: string, headers: Headers): Promise<Page> {
  const server = await startServer(service)
  const deadline = performance.now() + deadlineMs
  try {
    while (performance.now() < deadline) {
      const page = await fetchOnce(server.port, path, headers)
      if (headers['accept-encoding'] === 'identity' || page.encoding !== undefined) return page
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`${path} was not compressed within ${deadlineMs} ms`)
  } finally {
    await server.stop()
  }
}

/** Uses node:http, because `fetch` would decompress the body. */
function fetchOnce(port: number, path: string, headers: Headers): Promise<Page> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, headers: { ...headers } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          body: Buffer.concat(chunks),
          etag: response.headers.etag ?? '',
          encoding: response.headers['content-encoding'],
        }),
      )
    }).on('error', reject)
  })
}
