import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { newLead, nowMs } from '../../test/support/leads.ts'
import { commands, decide, toModel, withChange } from '../../test/support/life-model.ts'
import type { Lead } from '../store/leads/rows.ts'

test('whatever two members, the sender and retention do, the rules of a lead hold [undo.move, move.overtaken]', () => {
  let run = 0
  const property = fc.property(fc.constantFrom('new', 'held'), commands, (state, all) => {
    const lead = { ...newLead(1, { state }), version: 1, stateChangedAt: nowMs } as unknown as Lead
    const received = { at: nowMs, kind: 'lead.received', data: '{}' } as const
    let model = toModel(lead, [{ ...received, leadId: lead.id, number: 0 }])
    let at = nowMs
    for (const each of all) {
      at += each.passMs
      const decision = decide(model, each, at)
      if (decision.kind === 'change') model = withChange(model, decision.change)
      run += 1
    }
  })
  fc.assert(property, { numRuns: 1_050, seed: 39 })
  assert.ok(run >= 20_000, `${run} commands`)
})
