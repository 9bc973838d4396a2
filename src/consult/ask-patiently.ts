/** Asks again while the trouble may pass, and says so. Whoever uses it asks what is safe to ask twice. */
import { setTimeout as sleep } from 'node:timers/promises'
import { patience } from '../contract/commands.ts'
import { askOnce } from './ask.ts'
import type { Answer, NoAnswer, Question } from './ask.ts'
import { Failed } from './failed.ts'
import { say } from './output.ts'
import type { Site } from './site.ts'

const firstWaitMs = 500

export async function ask(site: Site, question: Question): Promise<Answer> {
  for (let asked = 1; ; asked += 1) {
    const outcome = await askOnce(site, question)
    const problem = passingProblem(outcome)
    if (problem === undefined) return answered(outcome)
    const waitMs = waitBefore(outcome, asked)
    if (asked > site.retries || waitMs > patience.longestWaitS * 1_000) return answered(outcome)
    const seconds = Math.ceil(waitMs / 100) / 10
    const how = question.key === undefined ? '' : ' with the same key'
    say(`${problem} Trying again${how} in ${seconds} s (${asked} of ${site.retries}).`)
    await sleep(waitMs)
  }
}

/** `undefined`: asking again would change nothing. */
function passingProblem(outcome: Answer | NoAnswer): string | undefined {
  if ('problem' in outcome) return outcome.lasting ? undefined : outcome.problem
  return isPassing(outcome.status) ? `The site answers ${outcome.status}.` : undefined
}

export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500
}

function answered(outcome: Answer | NoAnswer): Answer {
  if (!('problem' in outcome)) return outcome
  throw new Failed('network', {
    message: outcome.problem,
    resolution: outcome.lasting ? 'Check the address of the site.' : 'Try again later.',
  })
}

/** What the site asks for; otherwise twice as long each time, and never in step with others. */
function waitBefore(outcome: Answer | NoAnswer, asked: number): number {
  const asksFor = 'problem' in outcome ? undefined : retryAfterMs(outcome.headers)
  return asksFor ?? firstWaitMs * 2 ** (asked - 1) * (0.75 + Math.random() / 2)
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfterMs(headers: Answer['headers']): number | undefined {
  const text = headers['retry-after']?.trim() ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now())
}
