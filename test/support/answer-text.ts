/** The body of an answer as text. A stream is read to its end. */
import { isStreamed, type Answer } from '../../src/http/message.ts'

export async function textOf(answer: Answer): Promise<string> {
  if (!isStreamed(answer)) return answer.body.toString()
  let text = ''
  for await (const piece of answer.body(new AbortController().signal)) text += piece
  return text
}
