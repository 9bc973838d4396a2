/** The only adapter between node:http and the service. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { readBody } from './body.ts'
import { clientOf, isForwarded, type ClientAddress, type Proxies } from './client-address.ts'
import { ClientConnections, isRead, type ClientLimits, type Connection } from './connections.ts'
import {
  isStreamed,
  type Answer,
  type App,
  type Ask,
  type Body,
  type Headers,
  type StreamedAnswer,
  type WholeAnswer,
} from './message.ts'
import { watchUpload, type UploadLimits } from './upload.ts'
import { sendLast, sendStream, toHeaders } from './send.ts'

/** An import of node:http loads `fetch` as well, which takes a twentieth of a start. */
const { createServer } = process.getBuiltinModule('node:http')

export type ServerOptions = {
  app: App
  refuse: (reason: RefusalReason) => WholeAnswer
  /** The times are values of `performance.now()`. */
  answered: (ask: Ask, answer: Answer, startedAt: number, endedAt: number) => void
  failed: (id: string, error: unknown) => void
  proxies: Proxies
  published: boolean
  /** Called once, at the first request that an untrusted proxy has passed on. */
  untrustedProxy: () => void
  maxBodyBytes: number
  requestTimeoutMs: number
  /** Whether the door of the request reads the body by itself. */
  takesFile: (ask: Pick<Ask, 'method' | 'path'>) => boolean
  uploadLimits: UploadLimits
  /** A connection is closed if its client reads nothing for this long. */
  readTimeoutMs: number
  clientLimits: ClientLimits
  everyAnswer: Headers
}

export type RefusalReason =
  | 'BAD_REQUEST'
  | 'REQUEST_TIMEOUT'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL_ERROR'

export type ListenPlace = { host: string; port: number } | { fd: number }

/** Longer than the 60 s of proxies, which could send a request into a connection that we just closed. */
export const keepAliveMs = 72_000

/** With node's default (511) further clients would hang while the process is busy. */
const backlog = 4_096

export class HttpServer {
  readonly #options: ServerOptions
  readonly #connections: ClientConnections
  readonly #streaming = new Set<Socket>()
  readonly #server: Server
  #isProxyNamed = false
  #isStopping = false

  constructor(options: ServerOptions) {
    this.#options = options
    // With node's default timeouts, a slow client could hold a connection for minutes.
    this.#server = createServer({
      headersTimeout: 5_000,
      // The timeout of uploads; `#readBody` holds that of other requests.
      requestTimeout: options.uploadLimits.longestMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: keepAliveMs,
      optimizeEmptyRequests: true,
      requireHostHeader: false,
    })
    const { proxies, clientLimits } = options
    this.#connections = new ClientConnections(this.#server, proxies, clientLimits)
    const onRequest = (_: IncomingMessage, response: ServerResponse) => this.#onRequest(response)
    this.#server.on('request', onRequest)
    // Unknown values of Expect are ignored, as RFC 9110, 10.1.1 allows.
    this.#server.on('checkExpectation', onRequest)
    this.#server.setTimeout(options.readTimeoutMs, (socket) => this.#onSilence(socket))
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      this.#refuse(socket, refusalOf(error))
    })
  }

  /** `undefined`: an inherited Unix socket. */
  async listen(place: ListenPlace): Promise<AddressInfo | undefined> {
    // For an inherited socket, node takes the backlog only as the second argument.
    this.#server.listen(place, backlog)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo | null) ?? undefined
  }

  /** Lets running requests finish for at most `deadlineMs`, but ends streams at once. */
  async stop(deadlineMs: number): Promise<void> {
    this.#isStopping = true
    for (const socket of this.#streaming) socket.resetAndDestroy()
    // `close` of http.Server would close idle connections at once, and reset requests on their way.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(this.#server, () => resolve())
    })
    for (let waited = 0; waited < 500 && this.#connections.count > 0; waited += 25) {
      await sleep(25)
    }
    this.#server.closeIdleConnections()
    const cutOff = setTimeout(() => this.#server.closeAllConnections(), deadlineMs)
    await closed
    clearTimeout(cutOff)
  }

  /** Nothing was sent or received: the connection is idle, or its client does not read. */
  #onSilence(socket: Socket): void {
    // A reset also frees the answers that wait in the buffers of the operating system.
    if (socket.writableLength > 0) socket.resetAndDestroy()
    // An answer that the service still makes keeps its connection open.
    else if (this.#connections.of(socket)?.latest?.writableFinished !== false) socket.destroy()
  }

  #onRequest(response: ServerResponse): void {
    const connection = this.#connections.admit(response)
    if (connection === undefined) return
    const { req: request } = response
    const target = isWellFramed(request) ? readTarget(request.url!) : undefined
    if (target === undefined) {
      request.resume()
      this.#refuse(request.socket, 'BAD_REQUEST')
      return
    }
    const id = randomUUID()
    this.#serve(response, connection, id, target).catch((error: unknown) => {
      this.#options.failed(id, error)
      response.destroy()
    })
  }

  async #serve(
    response: ServerResponse,
    connection: Connection,
    id: string,
    { path, query }: Target,
  ): Promise<void> {
    const startedAt = performance.now()
    const { req: request } = response
    const { headers } = request
    const address = this.#clientOf(request, connection)
    const method = request.method!
    const stream = this.#options.takesFile({ method, path }) ? request : undefined
    const body = stream ? this.#beginUpload(response) : await this.#readBody(request)
    if (body === undefined) {
      this.#connections.cutOff(request.socket)
      return
    }
    if (isRead(request)) {
      await this.#connections.waitInLine(request.socket)
      if (!request.socket.writable) return
    }
    // The connection may have been cut off meanwhile.
    if (connection.ending === 'cut-off') return
    const ask: Ask = { id, method, path, query, headers, body, address, stream }
    await this.#respond(response, ask, startedAt)
  }

  async #readBody(request: IncomingMessage): Promise<Body | undefined> {
    const { maxBodyBytes, requestTimeoutMs } = this.#options
    const body = readBody(request, maxBodyBytes)
    if (!(body instanceof Promise)) return body
    const timer = setTimeout(() => {
      // The end of the body may still come, and must not be taken.
      request.removeAllListeners('end')
      this.#refuse(request.socket, 'REQUEST_TIMEOUT')
    }, requestTimeoutMs)
    request.once('close', () => clearTimeout(timer))
    return body.finally(() => clearTimeout(timer))
  }

  #beginUpload(response: ServerResponse): Body {
    const tooSlow = () => this.#refuse(response.req.socket, 'REQUEST_TIMEOUT')
    watchUpload(response, this.#options.uploadLimits, tooSlow)
    return noBody
  }

  /** A function of its own, because V8 keeps what a function holds after a wait for longer: 100 MB of answers in a flood. */
  async #respond(response: ServerResponse, ask: Ask, startedAt: number): Promise<void> {
    const answer = await this.#answer(ask)
    const head = toHeaders(answer, this.#options.everyAnswer)
    head.push('X-Request-Id', ask.id)
    if (this.#isStopping) head.push('Connection', 'close')
    response.writeHead(answer.status, head)
    let ended = answer
    if (isStreamed(answer)) ended = await this.#stream(response, answer)
    else response.end(answer.body)
    this.#options.answered(ask, ended, startedAt, performance.now())
  }

  async #answer(ask: Ask): Promise<Answer> {
    try {
      return await this.#options.app(ask)
    } catch (error) {
      this.#options.failed(ask.id, error)
      return this.#options.refuse('INTERNAL_ERROR')
    }
  }

  #clientOf(request: IncomingMessage, { peer }: Connection): ClientAddress {
    const { proxies, published, untrustedProxy } = this.#options
    if (!this.#isProxyNamed && !peer.isProxy && isForwarded(request)) {
      this.#isProxyNamed = true
      untrustedProxy()
    }
    return clientOf(request, { peer, proxies, published })
  }

  async #stream(response: ServerResponse, answer: StreamedAnswer): Promise<Answer> {
    const { socket } = response.req
    this.#streaming.add(socket)
    const sending = sendStream(response, answer.body)
    const stream = await sending.finally(() => this.#streaming.delete(socket))
    return { ...answer, logFacts: { ...answer.logFacts, stream } }
  }

  /** Answers to earlier requests go out first. */
  #refuse(socket: Socket, reason: RefusalReason): void {
    const connection = this.#connections.of(socket)
    if (!socket.writable) socket.destroy()
    if (socket.destroyed || connection === undefined || connection.ending !== undefined) return
    connection.ending = 'refused'
    const send = () => {
      const { refuse, everyAnswer } = this.#options
      // An earlier answer may have closed the connection meanwhile.
      if (socket.writable) sendLast(socket, refuse(reason), everyAnswer)
    }
    const { latest, before } = connection
    const last = latest?.req.complete ? latest : before
    if (last?.writableFinished === false) last.once('finish', send)
    else send()
  }
}

function refusalOf(error: NodeJS.ErrnoException): RefusalReason {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'HEADERS_TOO_LARGE'
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'REQUEST_TIMEOUT'
  return 'BAD_REQUEST'
}

/** node itself also accepts other versions of HTTP, and more than one Host header. */
function isWellFramed({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.toLowerCase() === 'host') hosts += 1
  }
  return httpVersion === '1.1' ? hosts === 1 : httpVersion === '1.0' && hosts <= 1
}

const noBody = Buffer.alloc(0)

type Target = Pick<Ask, 'path' | 'query'>

/** Three of the four forms of RFC 9112, 3.2: a path, an absolute URL, and `*`. */
function readTarget(url: string): Target | undefined {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?]+)?([^?]*)\??(.*)$/i.exec(url) ?? []
  return path.startsWith('/') || path === '*' ? { path, query } : undefined
}
