/** The only adapter between node:http and the service: bytes to `Ask`, `Answer` to bytes. */
import { createServer } from '../light-node.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
// The global of this name is a getter, which every request would call twice.
import { performance } from 'node:perf_hooks'
import { readBody } from './body.ts'
import { createReadAddress } from './client-address.ts'
import type { AddressOptions, ClientAddress } from './client-address.ts'
import { limitConnections } from './connections.ts'
import { keepAliveMs } from './head.ts'
import { createListeners } from './listen.ts'
import type { Listeners } from './listen.ts'
import { isStreamed } from './message.ts'
import type { Answer, App, Ask, Body, WholeAnswer } from './message.ts'
import { createPipelining } from './pipelining.ts'
import { refuseSocket } from './refuse-socket.ts'
import { createRequestIds } from './request-ids.ts'
import { createSendAnswer, isAnsweredEarly, sendEarly, toHeaders } from './send.ts'
import type { Refusal } from './send.ts'
import { createStreams } from './stream.ts'
import { isWellFramed, readTarget } from './target.ts'
import { shedNonReaders } from './unread.ts'

export type ServerOptions = AddressOptions & {
  app: App
  /** The answer where a request could not be read, or where the app failed. */
  refuse: (reason: Refusal) => WholeAnswer
  /** Called once an answer has been handed to the socket, all of it or up to its end. Times are by `performance.now()`. */
  answered: (
    ask: Pick<Ask, 'id' | 'method' | 'path'>,
    answer: Answer,
    startedAt: number,
    endedAt: number,
  ) => void
  failed: (id: string, error: unknown) => void
  /** Called at most once: this version of node makes the head of an answer differently. */
  headDiffers: () => void
  maxBodyBytes: number
  /** No body is read from a client that sends far too much: any is too large. */
  isFlood: (address: ClientAddress) => boolean
  maxHeaderBytes: number
  /** For a whole request to arrive. */
  requestTimeoutMs: number
  /** For a client to read something of its answers. */
  readTimeoutMs: number
  maxConnectionsPerAddress: number
  /** Headers of every answer. */
  everyAnswer: readonly string[]
}

export type HttpServer = {
  listen: Listeners['listen']
  /** Finishes what is in flight, but ends streams at once; cuts off what is not done after `deadlineMs`. */
  stop(deadlineMs: number): Promise<void>
}

export function openServer(options: ServerOptions): HttpServer {
  const { app, refuse, answered, failed, proxies, maxBodyBytes } = options
  const everyAnswer = Object.freeze([...options.everyAnswer])
  const readAddress = createReadAddress(options)
  const sendAnswer = createSendAnswer(options.headDiffers)
  const nextId = createRequestIds()
  const pipelining = createPipelining()
  const streams = createStreams()
  let stopping = false

  // With node's defaults a slow client may stay for minutes.
  const server = createServer({
    headersTimeout: 5_000,
    requestTimeout: options.requestTimeoutMs,
    maxHeaderSize: options.maxHeaderBytes,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: keepAliveMs,
    optimizeEmptyRequests: true,
    noDelay: true,
    requireHostHeader: false,
  })
  const listeners = createListeners(server)
  limitConnections(server, proxies, options.maxConnectionsPerAddress)
  shedNonReaders(server, options.readTimeoutMs)
  server.on('request', onRequest)
  server.on('checkContinue', onContinue)
  // Unknown expectations are ignored (RFC 9110, 10.1.1 allows it).
  server.on('checkExpectation', onRequest)
  // This is no proxy. Without a handler, node would close the connection without an answer.
  server.on('connect', (_request, socket: Socket) => {
    // node no longer handles errors of this socket, such as a reset by the client.
    socket.on('error', () => socket.destroy())
    refuseSocket(socket, refuse('malformed'), everyAnswer)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (pipelining.isHeld(socket, error)) return
    if (isAnsweredEarly(socket)) socket.destroySoon()
    else refuseSocket(socket, refuse(refusalOf(error)), everyAnswer)
  })

  return { listen: listeners.listen, stop }

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (response.socket === null) pipelining.count(request.socket, response)
    // The connection closes after its last answer, so later requests on it must not run.
    if (isAnsweredEarly(request.socket)) return
    const started = performance.now()
    const id = nextId()
    const target = isWellFramed(request) ? readTarget(request.url!) : undefined
    if (target === undefined) {
      const from = { id, method: request.method!, path: '' }
      reply(request, response, from, refuse('malformed'), started, 'too-large')
      return
    }
    const address = readAddress(request)
    readBody(request, roomFor(request, address), (body) => {
      const ask: Ask = {
        id,
        method: request.method!,
        path: target.path,
        query: target.query,
        headers: request.headers,
        body,
        address,
      }
      let answer: Answer | Promise<Answer>
      try {
        answer = app(ask)
      } catch (error) {
        answer = crashed(id, error)
      }
      if (answer instanceof Promise) {
        answer.then(
          (settled) => reply(request, response, ask, settled, started, body),
          (error: unknown) => reply(request, response, ask, crashed(id, error), started, body),
        )
      } else reply(request, response, ask, answer, started, body)
    })
  }

  /** `Expect: 100-continue`: a body that is too large is refused before the client sends it. */
  function onContinue(request: IncomingMessage, response: ServerResponse): void {
    const room = roomFor(request, readAddress(request))
    if (!(Number(request.headers['content-length']) > room)) response.writeContinue()
    onRequest(request, response)
  }

  function roomFor({ method }: IncomingMessage, address: ClientAddress): number {
    return method === 'POST' && options.isFlood(address) ? 0 : maxBodyBytes
  }

  function reply(
    request: IncomingMessage,
    response: ServerResponse,
    ask: Pick<Ask, 'id' | 'method' | 'path'>,
    answer: Answer,
    started: number,
    body: Body,
  ): void {
    try {
      const context = { id: ask.id, everyAnswer }
      if (isStreamed(answer)) {
        response.writeHead(answer.status, toHeaders(answer, context, undefined, stopping))
        streams.send(response, answer.body, (end, error) => {
          if (end === 'failed') failed(ask.id, error)
          const logFacts = { ...answer.logFacts, stream: end }
          answered(ask, { ...answer, logFacts }, started, performance.now())
        })
        return
      }
      if (body === 'too-large') sendEarly(request, response, answer, context)
      else sendAnswer(response, answer, context, stopping)
      answered(ask, answer, started, performance.now())
    } catch (error) {
      failed(ask.id, error)
      response.destroy()
    }
  }

  function crashed(id: string, error: unknown): WholeAnswer {
    failed(id, error)
    return refuse('crashed')
  }

  async function stop(deadlineMs: number): Promise<void> {
    // From here on every answer closes its connection. Closing idle ones at once would reset a
    // request that is already on its way, so the busy ones get a moment to close by themselves.
    stopping = true
    // They may go on for hours.
    streams.stop()
    const closed = listeners.close()
    for (let waited = 0; waited < 500 && (await listeners.countConnections()) > 0; waited += 25) {
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    server.closeIdleConnections()
    const cutOff = setTimeout(() => server.closeAllConnections(), deadlineMs)
    await closed
    clearTimeout(cutOff)
  }
}

function refusalOf(error: NodeJS.ErrnoException): Refusal {
  if (error.code === 'HPE_HEADER_OVERFLOW') return 'headers-too-large'
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'too-slow'
  return 'malformed'
}
