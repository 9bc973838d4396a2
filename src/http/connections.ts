/**
 * Open connections: how many one address may have, and how much one of them may ask at once. See
 * docs/decisions/0028-pipelining.md.
 */
import type { ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import { Peer, type Proxies } from './client-address.ts'

/** Browsers and proxies send one request at a time. */
const mostRequestsInATurn = 16

type Connection = {
  readonly peer: Peer
  /** In the order of their requests. */
  readonly unanswered: Set<ServerResponse>
  /** Its last answer is out or waits for those before: nothing more is done for it. */
  ending?: 'refused' | 'answered-early'
  /** The turn of the event loop that `requests` counts. */
  turn: number
  requests: number
}

export class Connections {
  readonly #proxies: Proxies
  readonly #known = new WeakMap<Socket, Connection>()
  readonly #openByNetwork = new Map<string, number>()
  #turn = 0
  #turnEnds = false

  constructor(proxies: Proxies) {
    this.#proxies = proxies
  }

  of(socket: Socket): Connection {
    let connection = this.#known.get(socket)
    if (connection === undefined) {
      const peer = new Peer(socket.remoteAddress ?? '', this.#proxies)
      connection = { peer, unanswered: new Set(), turn: 0, requests: 0 }
      this.#known.set(socket, connection)
    }
    return connection
  }

  /** A low limit on all addresses together would lock people out. */
  limitPerAddress(server: Server, most: number): void {
    server.on('connection', (socket: Socket) => {
      const { isTrusted, network } = this.of(socket).peer
      if (isTrusted) return
      const count = (this.#openByNetwork.get(network) ?? 0) + 1
      if (count > most) {
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
    if (socket.destroyed) return undefined
    const connection = this.of(socket)
    if (connection.ending !== undefined) return undefined
    if (this.#countInThisTurn(connection) > mostRequestsInATurn) {
      socket.destroy()
      return undefined
    }
    connection.unanswered.add(response)
    response.once('finish', () => connection.unanswered.delete(response))
    return connection
  }

  #countInThisTurn(connection: Connection): number {
    if (!this.#turnEnds) {
      this.#turnEnds = true
      setImmediate(() => {
        this.#turnEnds = false
        this.#turn += 1
      })
    }
    if (connection.turn !== this.#turn) {
      connection.turn = this.#turn
      connection.requests = 0
    }
    return (connection.requests += 1)
  }
}
