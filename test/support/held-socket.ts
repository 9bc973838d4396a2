/** A listening socket that outlives the service, as a supervisor holds it. Nobody accepts on it here. */
import net from 'node:net'
import type { Cleaner } from './cleaner.ts'

export type HeldSocket = { fd: number; port: number; close(): void }

type Handle = {
  fd: number
  getsockname(out: { port?: number }): number
  close(): void
}

/** What node's own cluster uses: bound, but not listened on in this process. `net.Server` would accept. */
const { _createServerHandle: createHandle } = net as unknown as {
  _createServerHandle(address: string, port: number, family: 4, fd: -1): Handle | number
}

export function holdSocket(t: Cleaner): HeldSocket {
  const handle = createHandle('127.0.0.1', 0, 4, -1)
  if (typeof handle === 'number') throw new Error(`cannot bind: ${handle}`)
  const name: { port?: number } = {}
  handle.getsockname(name)
  t.after(() => handle.close())
  return { fd: handle.fd, port: name.port!, close: () => handle.close() }
}
