/** The only adapter between node:http and the service: bytes to `Ask`, `Answer` to bytes. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net'
import { readBody } from './body.ts'
import { clientOf, isForwarded, type ClientAddress, type Proxies } from './client-address.ts'
import { ClientConnections, type Connection } from './connections.ts'
import { isStreamed, type Answer, type App, type Ask, type WholeAnswer } from './message.ts'
import { sendEarly, sendLast, toHeaders, type Refusal } from './send.ts'
import { Streams } from './stream.ts'

export type ServerOptions = {
  app: App
  /** The answer where a request could not be read, or where the app failed. */
  refuse: (reason: Refusal) => WholeAnswer
  /** Called once an answer has been handed to the socket, all of it or up to its end. Times are by `performance.now()`. */
  answered: (asked: Asked, answer: Answer, startedAt: number, endedAt: number) => void
  failed: (id: string, error: unknown) => void
  proxies: Proxies
  /** The site has a public address: somebody passes requests on from there. */
  published: boolean
  /** Called once: a peer that is not trusted says for whom it asks. */
  untrustedProxy: () => void
  maxBodyBytes: number
  maxHeaderBytes: number
  /** For a whole request to arrive. */
  requestTimeoutMs: number
  /** For a client to read something of its answers. */
  readTimeoutMs: number
  maxConnectionsPerAddress: number
  /** Headers of every answer. */
  everyAnswer: readonly string[]
}

type Asked = Pick<Ask, 'id' | 'method' | 'path'>
export type Place = { host: string; port: number } | { fd: number }

/** How long a connection may lie idle: longer than the 60 s for which proxies keep theirs. */
export const keepAliveMs = 72_000

/**
 * Backlog of connections while the process is busy, as far as the system allows. With node's
 * default (511) further clients would hang.
 */
const backlog = 4_096

export class HttpServer {
  readonly #options: ServerOptions
  readonly #connections: ClientConnections
  readonly #streams = new Streams()
  readonly #server: Server
  /** The server itself, and one more for each further place. */
  readonly #listeners: NetServer[]
  #isProxyTold = false
  #isStopping = false

  constructor(options: ServerOptions) {
    this.#options = options
    // With node's defaults a slow client may stay for minutes.
    this.#server = createServer({
      headersTimeout: 5_000,
      requestTimeout: options.requestTimeoutMs,
      maxHeaderSize: options.maxHeaderBytes,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: keepAliveMs,
      optimizeEmptyRequests: true,
      noDelay: true,
      requireHostHeader: false,
    })
    this.#listeners = [this.#server]
    const { proxies, maxConnectionsPerAddress } = options
    this.#connections = new ClientConnections(this.#server, proxies, maxConnectionsPerAddress)
    this.#handleEvents()
  }

  /** On one socket or several: systemd hands over IPv4 and IPv6 apart. */
  listen(places: readonly Place[]): Promise<AddressInfo[]> {
    // With the options that http.Server gives its own connections.
    const options = { allowHalfOpen: true, noDelay: true }
    const pass = (socket: Socket) => this.#server.emit('connection', socket)
    while (this.#listeners.length < places.length) {
      this.#listeners.push(new NetServer(options, pass))
    }
    return Promise.all(places.map((place, index) => listenOn(this.#listeners[index]!, place)))
  }

  /** Finishes what is in flight, but ends streams at once; cuts off what is not done after `deadlineMs`. */
  async stop(deadlineMs: number): Promise<void> {
    // From here on every answer closes its connection. Closing idle ones at once would reset a
    // request that is already on its way, so the busy ones get a moment to close by themselves.
    this.#isStopping = true
    this.#streams.stop()
    const closed = Promise.all(this.#listeners.map(stopAccepting))
    for (let waited = 0; waited < 500 && this.#connections.count > 0; waited += 25) {
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    this.#server.closeIdleConnections()
    const cutOff = setTimeout(() => this.#server.closeAllConnections(), deadlineMs)
    await closed
    clearTimeout(cutOff)
  }

  #handleEvents(): void {
    const server = this.#server
    server.setTimeout(this.#options.readTimeoutMs, (socket) => this.#onSilence(socket))
    server.on('request', (request, response) => this.#onRequest(request, response))
    server.on('checkContinue', (request, response) => this.#onContinue(request, response))
    // Unknown expectations are ignored (RFC 9110, 10.1.1 allows it).
    server.on('checkExpectation', (request, response) => this.#onRequest(request, response))
    // This is no proxy. Without a handler, node would close the connection without an answer.
    server.on('connect', (_request, socket: Socket) => {
      // node no longer handles errors of this socket, such as a reset by the client.
      socket.on('error', () => socket.destroy())
      this.#refuse(socket, 'malformed')
    })
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      if (this.#connections.of(socket)?.ending === 'answered-early') socket.destroySoon()
      else this.#refuse(socket, refusalOf(error))
    })
  }

  /** Nothing was sent or taken for a while: the connection is idle, or its client does not read. */
  #onSilence(socket: Socket): void {
    // A reset also frees the answers that the system holds.
    if (socket.writableLength > 0) socket.resetAndDestroy()
    // A client that waits for its answer stays.
    else if (this.#connections.of(socket)?.unanswered.size === 0) socket.destroy()
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.admit(response)
    if (connection === undefined) return
    const id = randomUUID()
    this.#serve(id, response, connection).catch((error: unknown) => {
      this.#options.failed(id, error)
      response.destroy()
    })
  }

  async #serve(id: string, response: ServerResponse, connection: Connection): Promise<void> {
    const startedAt = performance.now()
    const { req: request } = response
    const method = request.method!
    const target = isWellFramed(request) ? readTarget(request.url!) : undefined
    if (target === undefined) {
      connection.ending = 'answered-early'
      const answer = this.#options.refuse('malformed')
      await this.#send(response, { answer, startedAt, asked: { id, method, path: '' } }, true)
      return
    }
    const { path, query } = target
    const address = this.#clientOf(request, connection)
    const body = await readBody(request, this.#options.maxBodyBytes)
    // By now the connection may have asked too much at once.
    if (connection.ending === 'cut-off') return
    const asked = { id, method, path, query, headers: request.headers, body, address }
    const answer = await this.#answer(asked)
    if (body === 'too-large') connection.ending = 'answered-early'
    await this.#send(response, { answer, startedAt, asked }, body === 'too-large')
  }

  async #answer(ask: Ask): Promise<Answer> {
    try {
      return await this.#options.app(ask)
    } catch (error) {
      this.#options.failed(ask.id, error)
      return this.#options.refuse('crashed')
    }
  }

  /** `Expect: 100-continue`: a body that is too large is refused before the client sends it. */
  #onContinue(request: IncomingMessage, response: ServerResponse): void {
    const isTooLarge = Number(request.headers['content-length']) > this.#options.maxBodyBytes
    if (!isTooLarge) response.writeContinue()
    this.#onRequest(request, response)
  }

  #clientOf(request: IncomingMessage, { peer }: Connection): ClientAddress {
    const { proxies, published, untrustedProxy } = this.#options
    if (!this.#isProxyTold && isForwarded(request) && !proxies.has(peer)) {
      this.#isProxyTold = true
      untrustedProxy()
    }
    return clientOf(request, { peer, proxies, published })
  }

  async #send(
    response: ServerResponse,
    { answer, asked, startedAt }: { answer: Answer; asked: Asked; startedAt: number },
    isEarly: boolean,
  ): Promise<void> {
    const { everyAnswer, answered, failed } = this.#options
    const closing = isEarly || this.#isStopping ? ['Connection', 'close'] : []
    const headers = toHeaders(answer, [...everyAnswer, 'X-Request-Id', asked.id, ...closing])
    response.writeHead(answer.status, headers)
    if (!isStreamed(answer)) {
      if (isEarly) sendEarly(response, answer.body)
      else response.end(answer.body)
      answered(asked, answer, startedAt, performance.now())
      return
    }
    const end = await this.#streams.send(response, answer.body)
    if (end.how === 'failed') failed(asked.id, end.error)
    const logFacts = { ...answer.logFacts, stream: end.how }
    answered(asked, { ...answer, logFacts }, startedAt, performance.now())
  }

  /** Ends a connection whose bytes are no request, or came too slowly: once, and behind the answers to whole requests. */
  #refuse(socket: Socket, reason: Refusal): void {
    const connection = this.#connections.of(socket)
    if (!socket.writable) socket.destroy()
    if (socket.destroyed || connection === undefined || connection.ending !== undefined) return
    connection.ending = 'refused'
    const send = () => {
      // One of those answers may have closed the connection.
      const { refuse, everyAnswer } = this.#options
      if (socket.writable) sendLast(socket, refuse(reason), everyAnswer)
    }
    const before = [...connection.unanswered].findLast(({ req }) => req.complete)
    if (before === undefined) send()
    else before.once('finish', send)
  }
}

function refusalOf(error: NodeJS.ErrnoException): Refusal {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large'
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'too-slow'
  return 'malformed'
}

/** node accepts a second Host header, an `HTTP/2.0` request line and a compressed transfer coding. */
function isWellFramed({ httpVersion, headers, rawHeaders }: IncomingMessage): boolean {
  const hosts = rawHeaders.filter(
    (name, at) => at % 2 === 0 && name.toLowerCase() === 'host',
  ).length
  const transfer = headers['transfer-encoding']
  return (
    (httpVersion === '1.1' ? hosts === 1 : httpVersion === '1.0' && hosts <= 1) &&
    (transfer === undefined || transfer.trim().toLowerCase() === 'chunked')
  )
}

/** Three of the four forms of RFC 9112, 3.2: a path, an absolute URL, or `*`; not an authority. */
function readTarget(url: string): Pick<Ask, 'path' | 'query'> | undefined {
  if (url.startsWith('/')) {
    const mark = url.indexOf('?')
    return mark === -1
      ? { path: url, query: '' }
      : { path: url.slice(0, mark), query: url.slice(mark + 1) }
  }
  if (url === '*') return { path: '*', query: '' }
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined
  const { pathname, search } = new URL(url)
  return { path: pathname, query: search.slice(1) }
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

/** By net.Server: the `close` of http.Server ends idle connections, too. */
function stopAccepting(listener: NetServer): Promise<void> {
  return new Promise((resolve) => {
    NetServer.prototype.close.call(listener, () => resolve())
  })
}
