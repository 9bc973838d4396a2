/** Limits open connections per client network. A low limit on all together would lock people out. */
import type { Server, Socket } from 'node:net'
import { clientNetwork } from './client-address.ts'
import type { Proxies } from './client-address.ts'

export function limitConnections(server: Server, proxies: Proxies, most: number): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const peer = socket.remoteAddress
    // A trusted proxy connects for many clients.
    if (peer === undefined || proxies.has(peer)) return
    const network = clientNetwork(peer, undefined, proxies)
    const count = (open.get(network) ?? 0) + 1
    if (count > most) {
      socket.destroy()
      return
    }
    open.set(network, count)
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
  })
}
