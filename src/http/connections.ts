/**
 * Limits the open connections of one address, and the requests that one connection sends at once.
 * See docs/decisions/0013-connections.md.
 */
import type { ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import { toPeer, type Peer, type Proxies } from './client-address.ts'

/** The most requests of one connection in a turn of the event loop. Browsers and proxies send one at a time. */
const mostRequestsInATurn = 16

export type Connection = {
  readonly peer: Peer
  /** The answer to the newest request. */
  latest?: ServerResponse | undefined
  /** The answer before `latest`. Its request is complete, because node reads one request after the other. */
  before?: ServerResponse | undefined
  /** If set, further requests get no answer. `refused`: one last answer is sent. `cut-off`: the connection was closed at once. */
  ending?: 'refused' | 'cut-off'
}

export class ClientConnections {
  readonly #open = new Map<Socket, Connection>()
  readonly #openByNetwork = new Map<string, number>()
  /** Requests of each connection in this turn of the event loop. */
  readonly #inThisTurn = new Map<Socket, number>()
  #arePaused = false

  /** Connections of `proxies` are not limited. Nor is the total of all addresses, because a few clients could then lock out the rest. */
  constructor(server: Server, proxies: Proxies, mostPerAddress: number) {
    server.on('connection', (socket: Socket) => {
      const peer = toPeer(socket.remoteAddress ?? '', proxies)
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

  /** `undefined`: the connection is closed. */
  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket)
  }

  /**
   * Counts a request. Returns `undefined` if it must not be answered. node parses all requests of
   * one read, up to 1,800, before other code runs. Too many of them close the connection.
   */
  admit(response: ServerResponse): Connection | undefined {
    const { socket } = response.req
    const connection = this.of(socket)
    if (connection === undefined) return undefined
    // Requests are counted even after the socket is destroyed: node still parses the rest of the
    // data that it has already read.
    if (this.#countInThisTurn(socket) > mostRequestsInATurn) {
      connection.ending = 'cut-off'
      socket.destroy()
      this.#pauseOthers()
    }
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

  /** Stops reading from all connections until the turn ends, because node frees the requests of a closed connection only then. */
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
