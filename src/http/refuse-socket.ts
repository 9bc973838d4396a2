/** Refuses to read on: what came is no request, or came too slowly. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { WholeAnswer } from './message.ts'
import { startOf, toBytes } from './send.ts'
import type { AnswerContext } from './send.ts'

const refused = new WeakSet<Socket>()

/** Once for each connection, and behind the answers to the requests before. */
export function refuseSocket(
  socket: Socket,
  answer: WholeAnswer,
  everyAnswer: AnswerContext['everyAnswer'],
): void {
  if (!socket.writable) socket.destroy()
  if (socket.destroyed || refused.has(socket)) return
  refused.add(socket)
  afterAnswers(socket, () => {
    // One of those answers may have closed the connection.
    if (socket.writable) sendLast(socket, answer, everyAnswer)
  })
}

/** node's own: the response whose turn it is. */
type Answering = Socket & { _httpMessage?: ServerResponse | null }

function afterAnswers(socket: Answering, then: () => void): void {
  // oxlint-disable-next-line no-underscore-dangle
  const response = socket._httpMessage
  // A request that has not come whole gets the refusal as its answer.
  if (!response?.req.complete) then()
  // By then it is the turn of the next one.
  else response.once('finish', () => afterAnswers(socket, then))
}

function sendLast(
  socket: Socket,
  answer: WholeAnswer,
  everyAnswer: AnswerContext['everyAnswer'],
): void {
  const body = toBytes(answer)
  const own = `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`
  const head = Buffer.from(startOf(answer, everyAnswer) + own, 'latin1')
  socket.end(Buffer.concat([head, body]))
  // Reads on for a second, so that the client can read the answer before a reset.
  socket.resume()
  setTimeout(() => socket.destroy(), 1_000).unref()
}
