/** Limits what one address opens and asks, so that others are served beside it: docs/decisions/0013-connections.md. */
import type { ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { toPeer, type Peer, type Proxies } from './client-address.ts'

export type ClientLimits = {
  /** Connections, connections opened in a second, and requests under way. */
  perAddress: number
  /** GETs of all clients under way. Further ones are dropped. */
  reads: number
}

/** Between two turns of the event loop node accepts one connection, and leads are taken. */
const mostBegunInATurn = 4

export type Connection = {
  readonly peer: Peer
  latest?: ServerResponse | undefined
  /** The response before `latest`. Its request has been read to its end. */
  before?: ServerResponse | undefined
  /** Requests whose answers have not been sent yet, and the GETs among them. */
  underWay: number
  reads: number
  /** After `refused` the client gets one last answer, after `cut-off` none. */
  ending?: 'refused' | 'cut-off'
}

export class ClientConnections {
  readonly #proxies: Proxies
  readonly #limits: ClientLimits
  readonly #open = new Map<Socket, Connection>()
  readonly #openByNetwork = new Map<string, Set<Socket>>()
  readonly #openedInThisSecond = new Map<string, number>()
  #secondEndsAt = 0
  /** Without requests of proxies. */
  readonly #underWayByNetwork = new Map<string, number>()
  #reads = 0
  #line: { socket: Socket; begin: () => void }[] = []
  readonly #paused = new Set<Socket>()

  /** No limit for the connections of all addresses together, because a few clients could use it up. */
  constructor(server: Server, proxies: Proxies, limits: ClientLimits) {
    this.#proxies = proxies
    this.#limits = limits
    let isUnixSocket = false
    server.once('listening', () => (isUnixSocket = !hasPort(server)))
    server.on('connection', (socket: Socket) => {
      // A TCP connection that was reset before it is accepted has no address, but its requests can be read.
      const address = socket.remoteAddress ?? (isUnixSocket ? '' : undefined)
      if (address === undefined || !this.#isAccepted(socket, address)) socket.destroy()
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
    // node still parses the requests that it has already read from a destroyed socket.
    if (connection === undefined || socket.destroyed) return undefined
    const { peer, underWay } = connection
    const ofAddress = peer.isProxy ? underWay : (this.#underWayByNetwork.get(peer.network) ?? 0)
    if (ofAddress >= this.#limits.perAddress) {
      this.cutOff(socket)
      return undefined
    }
    const reads = isRead(response.req) ? 1 : 0
    if (reads > 0 && this.#reads >= this.#limits.reads) {
      socket.destroy()
      return undefined
    }
    this.#count(connection, 1, reads)
    response.once('finish', () => {
      if (this.#open.has(socket)) this.#count(connection, -1, -reads)
    })
    if (connection.ending !== undefined) return undefined
    connection.before = connection.latest
    connection.latest = response
    return connection
  }

  /**
   * Ends a connection that sends what no honest client does, and those on which its address waits for no answer:
   * they may hold the same. The address opens no further one in this second.
   */
  cutOff(socket: Socket): void {
    socket.destroy()
    const connection = this.of(socket)
    if (connection === undefined) return
    connection.ending = 'cut-off'
    const { network } = connection.peer
    this.#openedInThisSecond.set(network, Infinity)
    this.#pause(network)
  }

  /** Few requests begin in a turn, and those of a client that has gone are let through, to be dropped. */
  async waitInLine(socket: Socket): Promise<void> {
    // node notices that a client closed its connection only in the turn after that of its requests.
    await nextTurn()
    if (this.#line.length === 0) setImmediate(() => this.#beginSome())
    return new Promise((begin) => this.#line.push({ socket, begin }))
  }

  #beginSome(): void {
    let begun = 0
    this.#line = this.#line.filter(({ socket, begin }) => {
      if (socket.writable && begun === mostBegunInATurn) return true
      if (socket.writable) begun += 1
      begin()
      return false
    })
    if (this.#line.length > 0) setImmediate(() => this.#beginSome())
  }

  #isAccepted(socket: Socket, address: string): boolean {
    const peer = toPeer(address, this.#proxies)
    const { network, isProxy } = peer
    const neighbours = this.#openByNetwork.get(network) ?? new Set()
    const most = isProxy ? Infinity : this.#limits.perAddress
    if (this.#countOpened(network) > most || neighbours.size >= most) return false
    const connection: Connection = { peer, underWay: 0, reads: 0 }
    this.#open.set(socket, connection)
    this.#openByNetwork.set(network, neighbours.add(socket))
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#count(connection, -connection.underWay, -connection.reads)
      neighbours.delete(socket)
      if (neighbours.size === 0) this.#openByNetwork.delete(network)
    })
    return true
  }

  #countOpened(network: string): number {
    const now = performance.now()
    if (now >= this.#secondEndsAt) {
      this.#openedInThisSecond.clear()
      this.#secondEndsAt = now + 1_000
    }
    return add(this.#openedInThisSecond, network, 1)
  }

  #count(connection: Connection, requests: number, reads: number): void {
    const { network, isProxy } = connection.peer
    connection.underWay += requests
    connection.reads += reads
    this.#reads += reads
    if (!isProxy) add(this.#underWayByNetwork, network, requests)
  }

  /** node parses all that it reads at once, up to 1,800 requests, and frees that after the turn. */
  #pause(network: string): void {
    if (this.#paused.size === 0) setImmediate(() => this.#resume())
    for (const socket of this.#openByNetwork.get(network)!) {
      const { peer, underWay } = this.#open.get(socket)!
      if (underWay === 0 && !peer.isProxy) socket.destroy()
      if (socket.destroyed || this.#paused.has(socket)) continue
      this.#paused.add(socket)
      socket.pause()
    }
  }

  #resume(): void {
    for (const socket of this.#paused) socket.resume()
    this.#paused.clear()
  }
}

/** A request that only reads can be dropped. Any other may bring a lead, and its body may be on its way. */
export function isRead({ method }: { method?: string | undefined }): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** A Unix socket has a path, and an inherited one no address at all. */
function hasPort(server: Server): boolean {
  const address = server.address()
  return address !== null && typeof address === 'object'
}

function add(counts: Map<string, number>, key: string, change: number): number {
  const count = (counts.get(key) ?? 0) + change
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
  return count
}
