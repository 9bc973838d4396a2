import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { keysOf } from '../../test/support/desk.ts'
import { newLead, nowMs } from '../../test/support/leads.ts'
import * as model from '../../test/support/life-model.ts'
import type { Lead } from '../store/leads/rows.ts'

test('whatever two members, the sender and retention do, the rules of a lead hold [undo.move, move.overtaken]', () => {
  let run = 0
  const property = fc.property(fc.boolean(), model.commands, (isHeld, all) => {
    const email = isHeld ? 'other@example.com' : undefined
    const person: model.Person = [
      newModel(1, isHeld ? 'held' : 'new'),
      newModel(2, 'new', email),
      newModel(3, 'new'),
    ]
    let at = nowMs
    for (const asked of all) {
      run += 1
      at = model.timeOf(person, asked, at)
      take(person, model.stepOf(person, asked, at), at)
      for (const each of person) model.checkMoment(each, at, model.isInToday(each, at))
    }
  })
  // The trial of the model tries more, and shrinks what fails; here it is named at once.
  fc.assert(property, { numRuns: 400, seed: 39, endOnFailure: true })
  assert.ok(run >= 7_000, `${run} commands`)
})

function newModel(n: number, state: 'new' | 'held', email = 'quux@example.com'): model.ModelLead {
  const reasons = state === 'held' ? ['blocked'] : []
  const sent = newLead(n, { state, judgement: { score: 100, reasons } })
  const values = { ...sent.values, email }
  const [emailKey] = keysOf(values)
  const own = { values, emailKey, version: 1, stateChangedAt: nowMs, joinedTo: '' }
  const lead = { ...sent, ...own } as unknown as Lead
  const received = { at: nowMs, kind: 'lead.received', data: '{}' } as const
  return model.toModel(lead, [{ ...received, leadId: lead.id, number: 0 }])
}

function take(person: model.Person, step: model.Step, at: number): void {
  const noted = model.noteMeanwhile(person[step.which]!, step, at)
  if (noted) person[step.which] = model.withChange(person[step.which]!, noted)
  model.applyTo(person, step.which, model.decide(person[step.which]!, step))
}
