/** kill -9 between sending and marking: what was acknowledged is told at least once, and a repeat has the id of the first. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLoad } from '../support/load.ts'
import { onPostgres, newInstallation } from '../support/engines.ts'
import { postLead, startServiceProcess, type RunningService } from '../support/service.ts'
import { bothChannels, byMail, openWebhookSink, verified, type Received } from '../support/sink.ts'
import { messageIdOf, openMailSink, type CaughtEmail } from '../support/smtp.ts'
import { until } from '../support/until.ts'

const kills = Number(process.env['STORY_DELIVERY_KILLS'] ?? 2)
/** The owner gets so many emails in an hour; webhooks have no limit. */
const mostEmails = 30
const isLong = process.env['STORY_DELIVERY_KILLS'] !== undefined

// On PostgreSQL another node waits for the lease of the dead one to end, which takes a minute.
if (!onPostgres || isLong) {
  test('leads are told of through kill -9 between sending and marking [deliver.all]', async (t) => {
    const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
    const { place } = await newInstallation(t)
    const env = { ...place.env, ...bothChannels(mail, hook) }
    const start = () => startServiceProcess({ dataDir: place.dataDir, env })
    let service: RunningService = await start()
    t.after(() => service.stop('SIGKILL'))
    const label = 'told'
    const load = startLoad({ port: () => service.port, label, connections: 4, pauseMs: 10 })
    for (let killed = 0; killed < kills; killed += 1) {
      // Taken by the other side, and never answered: sent, and not marked.
      mail.mood = { onData: 'late' }
      hook.mood = { how: 'late' }
      const before = hook.received.length
      await until(() => hook.received.length > before, 'an event was taken')
      await sleep(Math.random() * 30)
      await service.stop('SIGKILL')
      mail.mood = {}
      hook.mood = {}
      service = await start()
      await sleep(Math.random() * 200)
    }
    await load.stop()
    const emails = [...load.acknowledged.keys()]
    // In the morning the service also tells which leads wait.
    const leadEvents = () => hook.received.filter(({ body }) => body.includes('"email_1"'))
    const isAllTold = async () => {
      await sleep(100)
      const caught = new Set(mail.emails.map(replyToOf))
      const events = new Set(leadEvents().map(emailOf))
      const isMailed = caught.size >= Math.min(mostEmails, emails.length)
      return isMailed && emails.every((email) => events.has(email))
    }
    await until(isAllTold, 'every lead was told by both channels')

    const caught = Map.groupBy(mail.emails, replyToOf)
    const events = Map.groupBy(leadEvents(), emailOf)
    const otherIds = emails.filter((email) => {
      const emailIds = new Set(caught.get(email)?.map(messageIdOf))
      const eventIds = new Set(events.get(email)?.map((each) => verified(each).id))
      return emailIds.size > 1 || eventIds.size > 1
    })
    const ids = leadEvents().map((each) => verified(each).id)
    const repeats = ids.length - new Set(ids).size
    const counts = { kills, acknowledged: emails.length, repeats }
    t.diagnostic(JSON.stringify({ story: 'kill -9 between send and mark', ...counts }))
    assert.deepEqual(otherIds, [])
    assert.ok(repeats > 0, 'no kill came between sending and marking: the story proves nothing')
  })
}

test('a stop in the middle of a send loses nothing', async (t) => {
  const mail = await openMailSink(t)
  const { place } = await newInstallation(t)
  const env = { ...place.env, ...byMail(mail) }
  const start = () => startServiceProcess({ dataDir: place.dataDir, env })
  mail.mood = { onData: 'hang' }
  let service = await start()
  t.after(() => service.stop('SIGKILL'))
  await postLead(service.url, { name_1: 'Robin', email_1: 'robin@example.com' })
  await until(() => mail.connections > 0, 'the mail server was called')
  assert.equal(await service.stop(), 0)
  mail.mood = {}
  service = await start()
  await until(() => mail.emails.length === 1, 'the email came after the restart')
})

function replyToOf({ raw }: CaughtEmail): string {
  return /^Reply-To: (.*)$/im.exec(raw)?.[1]?.trim() ?? ''
}

function emailOf({ body }: Received): string {
  return (JSON.parse(body) as { data: { lead: { email_1: string } } }).data.lead.email_1
}
