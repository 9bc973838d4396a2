/**
 * Open connections: how many one address may have, and how much one of them may ask at once. See
 * docs/decisions/0028-pipelining.md.
 */
import type { ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import { clientNetwork, type Proxies } from './client-address.ts'

/** Browsers and proxies send one request at a time. */
const mostRequestsInATurn = 16

export type Connection = {
  /** Its address. */
  readonly peer: string
  /** In the order of their requests. */
  readonly unanswered: Set<ServerResponse>
  /** Nothing more is done for it: its last answer is out or waits for those before, or it was cut off. */
  ending?: 'refused' | 'answered-early' | 'cut-off'
  /** The turn of the event loop that `requests` counts. */
  turn: number
  requests: number
}

export class ClientConnections {
  readonly #proxies: Proxies
  readonly #known = new WeakMap<Socket, Connection>()
  readonly #open = new Set<Socket>()
  readonly #openByNetwork = new Map<string, number>()
  #turn = 0
  #isTurnCounted = false
  #arePaused = false

  constructor(proxies: Proxies) {
    this.#proxies = proxies
  }

  get count(): number {
    return this.#open.size
  }

  of(socket: Socket): Connection {
    let connection = this.#known.get(socket)
    if (connection === undefined) {
      connection = { peer: socket.remoteAddress ?? '', unanswered: new Set(), turn: 0, requests: 0 }
      this.#known.set(socket, connection)
    }
    return connection
  }

  /** A low limit on all addresses together would lock people out. */
  watch(server: Server, mostPerAddress: number): void {
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
      const { peer } = this.of(socket)
      if (this.#proxies.has(peer)) return
      const network = clientNetwork(peer, undefined, this.#proxies)
      const count = (this.#openByNetwork.get(network) ?? 0) + 1
      if (count > mostPerAddress) {
        socket.destroy()
        return
      }
      this.#openByNetwork.set(network, count)
      socket.once('close', () => {
        const left = this.#openByNetwork.get(network)! - 1
        if (left === 0) this.#openByNetwork.delete(network)
        else this.#openByNetwork.set(network, left)
      })
    })
  }

  /**
   * Notes a request. `undefined`: it must not be answered. node parses a whole read, up to 1,800
   * requests, before anything else runs; a connection that asks so much in one turn is closed.
   */
  admit(socket: Socket, response: ServerResponse): Connection | undefined {
    const connection = this.of(socket)
    // Also of a closed connection: node parses its read to the end.
    if (this.#countInThisTurn(connection) > mostRequestsInATurn) {
      connection.ending = 'cut-off'
      socket.destroy()
      this.#pauseOthers()
      return undefined
    }
    if (connection.ending !== undefined || socket.destroyed) return undefined
    connection.unanswered.add(response)
    response.once('finish', () => connection.unanswered.delete(response))
    return connection
  }

  #countInThisTurn(connection: Connection): number {
    if (!this.#isTurnCounted) {
      this.#isTurnCounted = true
      setImmediate(() => this.#endTurn())
    }
    if (connection.turn !== this.#turn) {
      connection.turn = this.#turn
      connection.requests = 0
    }
    return (connection.requests += 1)
  }

  /** node frees the requests of a closed connection after the turn: the next flood is read then. */
  #pauseOthers(): void {
    if (this.#arePaused) return
    this.#arePaused = true
    for (const socket of this.#open) socket.pause()
  }

  #endTurn(): void {
    this.#isTurnCounted = false
    this.#turn += 1
    if (!this.#arePaused) return
    this.#arePaused = false
    for (const socket of this.#open) socket.resume()
  }
}
