import assert from 'node:assert/strict'
import test from 'node:test'
import { openTestDelivery, type TestDelivery } from '../support/delivery.ts'
import { newDatabase } from '../support/engines.ts'
import { bot, robin } from '../support/leads.ts'
import { bothChannels, openWebhookSink, verified } from '../support/sink.ts'
import { openMailSink, parseLetter } from '../support/smtp.ts'

test('a lead that nobody was told of is withdrawn without a word', async (t) => {
  const { service, mail, hook } = await openWithBoth(t)
  const held = await service.take(bot)
  const spam = await service.take({ ...bot, email_1: 'other@example.com' })
  const lead = await service.store.findLead(spam)
  await service.store.moveLead(lead!, { to: 'spam', by: 'owner', at: service.clock.now })
  for (const id of [held, spam]) {
    await service.withdraw(id)
    assert.equal((await service.store.findLead(id))?.state, 'withdrawn')
  }
  await service.settle()
  assert.deepEqual([mail.letters.length, hook.received.length], [0, 0])
})

test('a lead that was released is withdrawn with a word, and so is one that was never spam', async (t) => {
  const { service, mail, hook } = await openWithBoth(t)
  const id = await service.take(bot)
  const lead = await service.store.findLead(id)
  const { tell } = service.delivery
  await service.store.moveLead(lead!, { to: 'new', by: 'owner', at: service.clock.now, tell })
  await service.settle()
  await service.withdraw(id)
  await service.settle()
  const other = await service.take(robin)
  await service.settle()
  await service.withdraw(other)
  await service.settle()
  const types = hook.received.map((each) => verified(each).type)
  const told = ['lead.released', 'lead.withdrawn', 'lead.received', 'lead.withdrawn']
  assert.deepEqual(types, told)
  assert.equal(mail.letters.length, 4)
})

test('the letter about a withdrawal names the request and repeats nothing of it', async (t) => {
  const { service, mail } = await openWithBoth(t)
  const id = await service.take({ ...robin, preferred_days: 'Friday' })
  await service.settle()
  await service.withdraw(id)
  await service.settle()
  const { subject, text, html, replyTo } = await parseLetter(mail.letters[1]!)
  assert.equal(subject, 'Request withdrawn: Robin Example, Lismore')
  const { reference } = (await service.store.findLead(id))!
  assert.ok(text!.includes(reference) && html!.includes(reference))
  assert.doesNotMatch(`${text}${html}`, /hardwood|Friday|0491|robin@|\/inbox\//)
  assert.equal(replyTo, undefined)
})

async function openWithBoth(t: Parameters<typeof openMailSink>[0]) {
  const [mail, hook] = [await openMailSink(t), await openWebhookSink(t)]
  const env = bothChannels(mail, hook)
  const service: TestDelivery = await openTestDelivery(t, { database: newDatabase(t), env })
  return { service, mail, hook }
}
