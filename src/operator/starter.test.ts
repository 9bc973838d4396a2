import assert from 'node:assert/strict'
import test from 'node:test'
import { readAnswers } from './starter.ts'

test('init takes the name of a country, and says that it could not read an answer', async () => {
  const given = {
    name: 'Rata',
    owner: 'Tane',
    trade: 'tuner',
    town: 'Wellington',
    phone: '04 499 0123',
  }
  const typed = ['Aotearoa', 'new zealand']
  const asked: string[] = []
  const { country } = await readAnswers(given, async (question) => {
    asked.push(question)
    return typed.shift()!
  })
  assert.equal(country, 'NZ')
  const question = 'Your country, in two letters (AU, GB, NZ, IE, US, CA, ZA): '
  assert.deepEqual(asked, [question, `That cannot be read. ${question}`])
})
