import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { Failed } from '../../src/consult/failed.ts'
import { askFields, confirm } from '../../src/consult/questions.ts'

test('a person is asked for each field, and again for one that is wrong', async () => {
  const { terminal, said } = typing(
    'Robin Example\nrobin\nrobin@example.com\n\n0800\nA deck.\n\nOne step up.\n.\n',
  )
  assert.deepEqual(await askFields(terminal, {}), {
    name_1: 'Robin Example',
    email_1: 'robin@example.com',
    phone_1: '',
    text_1: '0800',
    textarea_1: 'A deck.\n\nOne step up.',
  })
  assert.match(
    await said(),
    /Email is not a valid email address: .*; for example: robin@example\.com/,
  )
})

test('what was given as an option is not asked for again', async () => {
  const { terminal, said } = typing('sam@example.com\n\n\n.\n')
  const answers = await askFields(terminal, { name_1: 'Sam' })
  assert.deepEqual([answers['name_1'], answers['email_1']], ['Sam', 'sam@example.com'])
  assert.doesNotMatch(await said(), /Your name/)
})

test('an end in the middle of the questions leaves nothing', async () => {
  const { terminal } = typing('Robin Example\n')
  await assert.rejects(askFields(terminal, {}), (error) => {
    assert.ok(error instanceof Failed)
    assert.equal(error.exit, 'refused')
    return true
  })
})

test('only a plain yes is a yes', async () => {
  const answers = ['y\n', 'YES\n', '\n', 'n\n', 'maybe y\n', '']
  const outcomes = await Promise.all(
    answers.map((answer) => confirm(typing(answer).terminal, 'Send this?')),
  )
  assert.deepEqual(outcomes, [true, true, false, false, false, false])
})

function typing(keys: string) {
  const input = new PassThrough()
  const output = new PassThrough()
  input.end(keys)
  return {
    terminal: { input, output },
    said: () => {
      output.end()
      return text(output)
    },
  }
}
