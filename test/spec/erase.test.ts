/** Who asks to be forgotten is forgotten: in the database, in its files, and in what waits to be told. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { onPostgres } from '../support/engines.ts'
import { filesWith } from '../support/files-with.ts'
import { newInstallation } from '../support/installation.ts'
import { leadIntake } from '../support/operator.ts'
import { robin, sam } from '../support/people.ts'
import { startServiceProcess } from '../support/service.ts'
import { until } from '../support/until.ts'

test('an erased lead leaves no word of the person, beside a running server', async (t) => {
  const { place, readStored } = await newInstallation(t)
  const env = { ...place.env, SMTP_URL: 'smtp://127.0.0.1:9', OWNER_EMAIL: 'owner@example.com' }
  const service = await startServiceProcess({ ...place, env })
  t.after(() => service.stop())
  const send = async (body: object, browser = 'Browser') => {
    const headers = { 'content-type': 'application/json', 'user-agent': browser }
    const answer = await fetch(`${service.url}/api/lead`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return (await answer.json()) as { reference: string; status_url: string }
  }
  const { reference, status_url } = await send({ ...robin, colour: 'Robins grey' }, 'Robins')
  const other = await send(sam)
  await leadIntake(place, ['leads', 'move', reference, 'contacted'])

  const before = (await readStored()).leads.find((lead) => lead.reference === reference)!

  const asked = await leadIntake(place, ['leads', 'erase', reference])
  assert.equal(asked.code, 2)
  assert.match(asked.error, /cannot be undone.*--yes/)
  const erased = await leadIntake(place, ['leads', 'erase', reference, '--yes'])
  assert.deepEqual([erased.code, erased.out], [0, `${reference}: contacted -> erased\n`])

  const { out } = await leadIntake(place, ['leads', 'show', reference, '--json'])
  const shown = JSON.parse(out) as { state: string; events: { kind: string }[] }
  assert.equal(shown.state, 'erased')
  assert.deepEqual(
    shown.events.map(({ kind }) => kind),
    ['lead.received', 'lead.state_changed', 'lead.erased'],
  )
  assert.doesNotMatch(out, /robin/i)
  const told = await leadIntake(place, ['deliveries', 'show', reference])
  assert.doesNotMatch(told.out, /mail/)
  const verify = await leadIntake(place, ['events', 'verify'])
  assert.match(verify.out, /^2 leads, 4 events, 0 breaks/)
  const receipt = await fetch(service.url + new URL(status_url).pathname)
  assert.doesNotMatch(await receipt.text(), /robin@|hardwood/i)

  const { leads, breaks } = await readStored()
  assert.deepEqual(breaks, [])
  assert.deepEqual(
    leads.map(({ values }) => values.email).filter(Boolean),
    [sam.email_1],
    'the other lead stays',
  )
  // A hash of the details would tell whether a guess of them is right.
  const left = leads.find((lead) => lead.reference === reference)!
  assert.deepEqual([left.fingerprint, left.eventHead === before.eventHead], ['', false])
  const words = new RegExp(`robin|${before.fingerprint}|${before.eventHead}`, 'i')
  const isForgotten = () => filesWith(place.dataDir, words).length === 0
  if (!onPostgres) await until(isForgotten, 'no word is left in the files')

  const again = await leadIntake(place, ['leads', 'erase', reference, '--yes'])
  assert.deepEqual([again.code, again.out], [0, `${reference}: erased -> erased\n`])
  const moved = await leadIntake(place, ['leads', 'move', reference, 'contacted'])
  assert.equal(moved.code, 4)
  // The same words are a lead of their own again.
  assert.notEqual((await send({ ...robin, colour: 'Robins grey' })).reference, reference)
  assert.equal((await leadIntake(place, ['leads', 'show', other.reference])).code, 0)
})
