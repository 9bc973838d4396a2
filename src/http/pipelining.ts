/**
 * Bounds what one connection can make the service hold. node parses all requests of a read before
 * any is answered, and 64 KiB hold 1,800 of them. Past `mostUnanswered` the parser is stopped in the
 * middle of the read, and goes on once all answers are out. See docs/decisions/0028-pipelining.md.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Pipelining = {
  /** For a response that waits for others of its connection (its `socket` is null). */
  count(socket: Socket, response: ServerResponse): void
  /** True if the parser was stopped by us, which node reports as an error of the client. */
  isHeld(socket: Socket, error: StoppedParser): boolean
}

type StoppedParser = { code?: string | undefined; rawPacket?: Buffer; bytesParsed?: number }

const mostUnanswered = 16
/** Of a connection that asked for more than that: its client may not be reading at all. */
const mostOfMany = 4

/** What the parser takes as "stop after this head" (HPE_PAUSED of llhttp). */
const stopHere = 21

/** node's own, on every connection of a server. */
type Parsed = Socket & { parser?: { onIncoming: OnIncoming; resume(): void } | null }
type OnIncoming = (request: IncomingMessage, keepAlive: boolean) => number

type Pipeline = {
  /** Responses behind the first. */
  waiting: number
  most: number
  /** Lets the parser take the next request again. */
  allow?: (() => void) | undefined
  /** Handles the request at which the parser was stopped. */
  next?: (() => void) | undefined
  /** The bytes behind its head. */
  rest?: Buffer | undefined
}

export function createPipelining(): Pipelining {
  const pipelines = new WeakMap<Socket, Pipeline>()
  const ready: Socket[] = []

  return { count, isHeld }

  function count(socket: Socket, response: ServerResponse): void {
    let pipeline = pipelines.get(socket)
    if (pipeline === undefined) {
      pipeline = { waiting: 0, most: mostUnanswered - 1 }
      pipelines.set(socket, pipeline)
    }
    const counted = pipeline
    counted.waiting += 1
    response.once('finish', () => {
      counted.waiting -= 1
      if (counted.waiting === 0) allAnswered(socket, counted)
    })
    if (counted.waiting === counted.most) stopParser(socket, counted)
  }

  function allAnswered(socket: Socket, pipeline: Pipeline): void {
    if (pipeline.rest === undefined) pipeline.allow?.()
    else if (ready.push(socket) === 1) setImmediate(goOnWithOne)
  }

  /** One connection in each turn of the event loop, so that other clients wait for a few answers at most. */
  function goOnWithOne(): void {
    const socket = ready.shift()!
    if (ready.length > 0) setImmediate(goOnWithOne)
    if (!socket.destroyed) goOn(socket, pipelines.get(socket)!)
  }

  function isHeld(socket: Socket, error: StoppedParser): boolean {
    const pipeline = pipelines.get(socket)
    if (error.code !== 'HPE_PAUSED' || pipeline?.next === undefined) return false
    pipeline.rest = error.rawPacket!.subarray(error.bytesParsed)
    // node resumes the socket when an answer is out, or a body is read.
    socket.on('resume', stopReading)
    stopReading.call(socket)
    return true
  }
}

function stopParser(socket: Parsed, pipeline: Pipeline): void {
  const { parser } = socket
  if (!parser) return
  const { onIncoming } = parser
  parser.onIncoming = (request, keepAlive) => {
    // Nothing is parsed behind a CONNECT.
    if (request.method === 'CONNECT') return onIncoming(request, keepAlive)
    pipeline.next = () => onIncoming(request, keepAlive)
    return stopHere
  }
  pipeline.allow = () => {
    parser.onIncoming = onIncoming
    pipeline.allow = undefined
  }
}

function goOn(socket: Parsed, pipeline: Pipeline): void {
  const { next, rest } = pipeline
  pipeline.next = undefined
  pipeline.rest = undefined
  pipeline.most = mostOfMany - 1
  pipeline.allow!()
  socket.off('resume', stopReading)
  socket.parser!.resume()
  next!()
  // Without bytes, too: the request is whole only when the parser was told to go on.
  socket.emit('data', rest)
  if (pipeline.rest === undefined) socket.resume()
}

function stopReading(this: Socket): void {
  this.pause()
  // node stops reading at the event, which `pause` leaves out if a resume was on its way.
  this.emit('pause')
}
