/** GET /consult.tgz: the client's command, to be installed from this very site. Made when first asked for. */
import { packConsult } from '../discovery/consult-package.ts'
import { inertHeaders } from '../http/answer.ts'
import type { App } from '../http/message.ts'
import { createResource } from '../http/resource.ts'
import { createLazy } from '../lazy.ts'

export function createPackageDoor(baseUrl: string): App {
  const type = ['Content-Type', 'application/gzip', 'Cache-Control', 'public, max-age=300']
  const headers = [...type, ...inertHeaders()]
  const resource = createLazy(async () => {
    const packed = await packConsult(baseUrl)
    return createResource({ body: () => packed, headers })
  })
  return (ask) => resource.use(({ answer }) => answer(ask))
}
