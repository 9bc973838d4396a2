/**
 * Pings an outside monitor each minute, after a test commit. A dead machine can send no letter, but the
 * monitor raises an alarm when the pings stop.
 */
import { webhookAnswerMs } from '../contract/webhooks.ts'
import { minuteMs } from '../time.ts'
import type { ReportFailure } from '../log.ts'
import type { Prove } from '../store/store.ts'
import { requestOnce } from './webhook.ts'

export type HeartbeatParts = { url: string; prove: Prove; reportFailure: ReportFailure }

export type Heartbeat = { stop(): void }

export function startHeartbeat(parts: HeartbeatParts): Heartbeat {
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

/** The monitor's address is a secret, so the log gets only the kind of a failure. */
export async function beat(parts: HeartbeatParts, stopped: AbortSignal): Promise<void> {
  const { url, prove, reportFailure } = parts
  const asked = (await prove()) ? url : failAddress(url)
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(webhookAnswerMs)])
  const answer = await requestOnce({ url: asked, method: 'GET' }, signal)
  if (stopped.aborted) return
  const problem =
    'failure' in answer
      ? answer.failure
      : answer.status >= 300
        ? `answered ${answer.status}`
        : undefined
  if (problem === undefined) return
  reportFailure('heartbeat.not-sent', Object.assign(new Error(problem), { code: problem }))
}

/** The address that reports a failure: healthchecks.io takes `/fail` at the end of the path. */
function failAddress(url: string): string {
  const address = new URL(url)
  address.pathname = `${address.pathname.replace(/\/$/, '')}/fail`
  return address.href
}
