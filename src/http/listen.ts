/** Listens for one HTTP server, on one socket or several: systemd hands over IPv4 and IPv6 apart. */
import type { Server } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { AddressInfo } from 'node:net'

export type Place = { host: string; port: number } | { fd: number }

export type Listeners = {
  listen(places: readonly Place[]): Promise<AddressInfo[]>
  countConnections(): Promise<number>
  /** Stops accepting only. The close of http.Server would end idle connections, too. */
  close(): Promise<void>
}

/**
 * Backlog of connections while the process is busy, as far as the system allows. With node's
 * default (511) further clients would hang.
 */
const backlog = 4_096

export function createListeners(server: Server): Listeners {
  const all: NetServer[] = [server]
  return {
    listen(places) {
      while (all.length < places.length) all.push(openDoorTo(server))
      return Promise.all(places.map((place, index) => listenOn(all[index]!, place)))
    },
    async countConnections() {
      const counts = await Promise.all(all.map(count))
      return counts.reduce((sum, one) => sum + one, 0)
    },
    async close() {
      await Promise.all(all.map(stopAccepting))
    },
  }
}

/** With the options that http.Server gives its own connections. */
function openDoorTo(server: Server): NetServer {
  return new NetServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    server.emit('connection', socket)
  })
}

function listenOn(listener: NetServer, place: Place): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject)
    listener.listen({ ...place, backlog }, () => {
      listener.off('error', reject)
      resolve(listener.address() as AddressInfo)
    })
  })
}

function count(listener: NetServer): Promise<number> {
  return new Promise((resolve) => {
    listener.getConnections((error, connections) => resolve(error ? 0 : connections))
  })
}

function stopAccepting(listener: NetServer): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(listener, () => resolve())
  })
}
