/** An outside monitor raises an alarm when it hears nothing, because a dead machine can send no email. */
import { receiverAnswerMs } from '../contract/webhooks.ts'
import { minuteMs } from '../time.ts'
import type { ReportFailure } from '../log.ts'
import type { Prove } from '../store/store.ts'
import { requestOnce, type AnswerHead, type NoAnswer } from './request.ts'

type HeartbeatParts = { url: string; prove: Prove; reportFailure: ReportFailure }

export function startHeartbeat(parts: HeartbeatParts): { stop(): void } {
  const stopped = new AbortController()
  void beat(parts, stopped.signal)
  const timer = setInterval(() => void beat(parts, stopped.signal), minuteMs).unref()
  return {
    stop() {
      clearInterval(timer)
      stopped.abort()
    },
  }
}

/** The log gets only the kind of a failure, because the monitor's address is a secret. */
export async function beat(parts: HeartbeatParts, stopped: AbortSignal): Promise<void> {
  const { url, prove, reportFailure } = parts
  const asked = (await prove()) ? url : failAddress(url)
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(receiverAnswerMs)])
  const answer = await requestOnce({ url: asked, method: 'GET' }, signal)
  if (stopped.aborted) return
  const problem = problemOf(answer)
  if (problem === undefined) return
  reportFailure('heartbeat.not-sent', Object.assign(new Error(problem), { code: problem }))
}

function problemOf(answer: AnswerHead | NoAnswer): string | undefined {
  if ('failure' in answer) return answer.failure
  return answer.status >= 300 ? `answered ${answer.status}` : undefined
}

/** A failure is reported to healthchecks.io at the address with `/fail` added to the path. */
function failAddress(url: string): string {
  const address = new URL(url)
  address.pathname = `${address.pathname.replace(/\/$/, '')}/fail`
  return address.href
}
