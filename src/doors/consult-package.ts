/** GET /consult.tgz: the client's command, to be installed from this very site. Made when first asked for. */
import { packConsult } from '../discovery/consult-package.ts'
import { inertHeaders, type App } from '../http/message.ts'
import { createResource, type Resource } from '../http/resource.ts'

const headers = [
  'Content-Type',
  'application/gzip',
  'Cache-Control',
  'public, max-age=300',
  ...inertHeaders(),
]

export function createPackageDoor(baseUrl: string): App {
  let packing: Promise<Resource> | undefined
  return async (ask) => {
    packing ??= pack(baseUrl).catch((error: unknown) => {
      // The next request tries again.
      packing = undefined
      throw error
    })
    return (await packing).answer(ask)
  }
}

async function pack(baseUrl: string): Promise<Resource> {
  const packed = await packConsult(baseUrl)
  return createResource({ body: () => packed, headers })
}
