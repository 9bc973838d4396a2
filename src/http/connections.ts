/** Limits the connections of an address, and the requests of a connection: docs/decisions/0013-connections.md. */
import type { ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import { toPeer, type Peer, type Proxies } from './client-address.ts'

/** Browsers and proxies send one request at a time on a connection. */
const mostRequestsInATurn = 16

export type Connection = {
  readonly peer: Peer
  latest?: ServerResponse | undefined
  /** The response before `latest`. Its request has been read to its end. */
  before?: ServerResponse | undefined
  /** After `refused` the client gets one last answer, after `cut-off` none. */
  ending?: 'refused' | 'cut-off'
}

export class ClientConnections {
  readonly #open = new Map<Socket, Connection>()
  readonly #openByNetwork = new Map<string, number>()
  readonly #inThisTurn = new Map<Socket, number>()
  #arePaused = false

  /** No limit for all addresses together, because a few clients could use it up. */
  constructor(server: Server, proxies: Proxies, mostPerAddress: number) {
    let isUnixSocket = false
    server.once('listening', () => (isUnixSocket = !hasPort(server)))
    server.on('connection', (socket: Socket) => {
      // A TCP connection that was reset before it is accepted has no address, but its requests can be read.
      const address = socket.remoteAddress ?? (isUnixSocket ? '' : undefined)
      if (address === undefined) {
        socket.destroy()
        return
      }
      const peer = toPeer(address, proxies)
      this.#open.set(socket, { peer })
      socket.once('close', () => this.#open.delete(socket))
      if (peer.isProxy) return
      if (this.#add(peer.network, 1) > mostPerAddress) socket.destroy()
      socket.once('close', () => this.#add(peer.network, -1))
    })
  }

  get count(): number {
    return this.#open.size
  }

  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket)
  }

  /** `undefined`: the request must not be answered. */
  admit(response: ServerResponse): Connection | undefined {
    const { socket } = response.req
    const connection = this.of(socket)
    if (connection === undefined) return undefined
    // node parses all requests of one read, up to 1,800, before other code runs.
    if (this.#countInThisTurn(socket) > mostRequestsInATurn) {
      connection.ending = 'cut-off'
      socket.destroy()
      this.#pauseOthers()
    }
    // node still parses the requests that it has already read from a destroyed socket.
    if (connection.ending !== undefined || socket.destroyed) return undefined
    connection.before = connection.latest
    connection.latest = response
    return connection
  }

  #add(network: string, change: 1 | -1): number {
    const count = (this.#openByNetwork.get(network) ?? 0) + change
    if (count === 0) this.#openByNetwork.delete(network)
    else this.#openByNetwork.set(network, count)
    return count
  }

  #countInThisTurn(socket: Socket): number {
    if (this.#inThisTurn.size === 0) setImmediate(() => this.#endTurn())
    const count = (this.#inThisTurn.get(socket) ?? 0) + 1
    this.#inThisTurn.set(socket, count)
    return count
  }

  /** Other connections wait until node frees the requests of the closed one, at the end of the turn. */
  #pauseOthers(): void {
    if (this.#arePaused) return
    this.#arePaused = true
    for (const socket of this.#open.keys()) socket.pause()
  }

  #endTurn(): void {
    this.#inThisTurn.clear()
    if (!this.#arePaused) return
    this.#arePaused = false
    for (const socket of this.#open.keys()) socket.resume()
  }
}

/** A Unix socket has a path, and an inherited one no address at all. */
function hasPort(server: Server): boolean {
  const address = server.address()
  return address !== null && typeof address === 'object'
}
