/**
 * Measures whether a hanging mail server delays the answer to a lead, and how soon the owner's mail
 * arrives. Three services run side by side: with a healthy mail server, with one that hangs, and with
 * none. They get leads in turn, so that other load on the machine affects all three.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServiceProcess } from '../test/support/service.ts'
import { byMail } from '../test/support/sink.ts'
import { openMailSink } from '../test/support/smtp.ts'
import type { Mood } from '../test/support/smtp.ts'
import { quantile } from './median.ts'

const leads = Number(process.argv[2] ?? 1_000)
const warmUps = 100
/** Long enough to send a mail before the next lead, so that one service does not slow the next. */
const pauseMs = 40

const cleanUps: (() => unknown)[] = []
const cleaner = { after: (callback: () => unknown) => void cleanUps.push(callback) }

try {
  const healthy = await openSide({})
  const hanging = await openSide({ onConnect: 'hang' })
  const none = await openSide(undefined)
  const sides = [healthy, hanging, none]
  for (let n = 0; n < warmUps + leads; n += 1) {
    if (n === warmUps) for (const side of sides) side.ackMs.length = 0
    for (const side of shuffled(sides)) await sendLead(side, n)
  }
  await sleep(3_000)
  const delays = healthy.mail.letters.flatMap(({ raw, at: cameAt }) => {
    const email = /^Reply-To: (.*)$/im.exec(raw)?.[1]?.trim() ?? ''
    const ackedAt = healthy.ackedAt.get(email)
    return ackedAt === undefined ? [] : [cameAt - ackedAt]
  })
  const share = (part: number) => ({
    healthy: at(healthy.ackMs, part),
    hanging: at(hanging.ackMs, part),
    none: at(none.ackMs, part),
  })
  const p99 = share(0.99)
  const figures = {
    leads,
    ackP50Ms: share(0.5),
    ackP99Ms: p99,
    ratioOfP99: Number((p99.hanging / p99.healthy).toFixed(3)),
    mails: delays.length,
    toMailMs: { p50: at(delays, 0.5), p99: at(delays, 0.99), most: at(delays, 1) },
  }
  process.stdout.write(`${JSON.stringify(figures)}\n`)
} finally {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp()
}

type Side = Awaited<ReturnType<typeof openSide>>

/** `undefined`: no mail server. */
async function openSide(mood: Mood | undefined) {
  const mail = await openMailSink(cleaner)
  mail.mood = mood ?? {}
  const dataDir = mkdtempSync(join(tmpdir(), 'lead-intake-delivery-'))
  cleaner.after(() => rmSync(dataDir, { recursive: true, force: true }))
  const service = await startServiceProcess({ dataDir, env: mood ? byMail(mail) : {} })
  cleaner.after(() => service.stop('SIGKILL'))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  cleaner.after(() => agent.destroy())
  return { mail, service, agent, ackMs: [] as number[], ackedAt: new Map<string, number>() }
}

async function sendLead(side: Side, number: number): Promise<void> {
  const email = `lead-${number}@example.com`
  const startedAt = performance.now()
  await post(side, email)
  const ackedAt = performance.now()
  side.ackMs.push(ackedAt - startedAt)
  if (number >= warmUps) side.ackedAt.set(email, ackedAt)
  await sleep(pauseMs)
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, rank: Math.random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ item }) => item)
}

function post({ service, agent }: Side, email: string): Promise<void> {
  const body = JSON.stringify({ name_1: 'Robin Example', email_1: email, text_1: '2480' })
  return new Promise((resolve, reject) => {
    const asking = request(
      `${service.url}/api/lead`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (response) => {
        response.resume()
        response.on('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(String(response.statusCode))),
        )
      },
    )
    asking.on('error', reject)
    asking.end(body)
  })
}

function at(numbers: readonly number[], part: number): number {
  return Number(quantile(Float64Array.from(numbers), part).toFixed(2))
}
