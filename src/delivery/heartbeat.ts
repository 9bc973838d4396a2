/**
 * Tells a server of somebody else each minute that leads can be kept. When this machine is dead, the
 * silence tells: no letter of ours could.
 */
import { webhookAnswerMs } from '../contract/webhooks.ts'
import { minuteMs } from '../durations.ts'
import type { ReportFailure } from '../log.ts'
import type { Prove } from '../store/prove.ts'
import { requestGuarded } from './webhook/guarded-request.ts'
import type { GuardedRequest } from './webhook/guarded-request.ts'

export type HeartbeatParts = Pick<GuardedRequest, 'url' | 'allowPrivate' | 'lookup'> & {
  prove: Prove
  reportFailure: ReportFailure
}

export type Heartbeat = { stop(): void }

export function startHeartbeat(parts: HeartbeatParts, everyMs = minuteMs): Heartbeat {
  const stopped = new AbortController()
  void beat(parts, stopped.signal)
  const timer = setInterval(() => void beat(parts, stopped.signal), everyMs).unref()
  return {
    stop() {
      clearInterval(timer)
      stopped.abort()
    },
  }
}

/** The address is a secret: a failure is logged by its kind only. */
export async function beat(parts: HeartbeatParts, stopped: AbortSignal): Promise<void> {
  const { url, prove, reportFailure, ...guard } = parts
  const asked = (await prove()) ? url : failAddress(url)
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(webhookAnswerMs)])
  const answer = await requestGuarded({ url: asked, ...guard }, signal)
  if (stopped.aborted) return
  if ('failure' in answer) reportFailure('heartbeat.not-sent', new NotSent(answer.failure))
  else if (answer.status >= 300) {
    reportFailure('heartbeat.not-sent', new NotSent(`answered ${answer.status}`))
  }
}

/** As healthchecks.io has it: at the end of the path. */
function failAddress(url: string): string {
  const address = new URL(url)
  address.pathname = `${address.pathname.replace(/\/$/, '')}/fail`
  return address.href
}

class NotSent extends Error {
  override name = 'NotSent'
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}
