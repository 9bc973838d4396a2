/** The counts of several stories as one. Each story prints its own as a line of JSON. */

export type Tally = {
  kills: number
  cuts: number
  injected: number
  acknowledged: number
  lost: number
  twice: number
  altered: number
  corrupt: number
  /** Of services that acknowledge too early: more than 0, or the trial proves nothing. */
  lostByControls: number
}

export function newTally(): Tally {
  return {
    kills: 0,
    cuts: 0,
    injected: 0,
    acknowledged: 0,
    lost: 0,
    twice: 0,
    altered: 0,
    corrupt: 0,
    lostByControls: 0,
  }
}

export function addStory(tally: Tally, line: string): void {
  const story = JSON.parse(line) as Record<string, unknown>
  const count = (...names: string[]) => names.reduce((sum, name) => sum + sumOf(story[name]), 0)
  if (String(story['story']).endsWith('control')) {
    tally.lostByControls += count('lost')
    return
  }
  tally.kills += count('kills', 'killed')
  tally.cuts += count('cuts')
  tally.injected += count('injected')
  tally.acknowledged += count('acknowledged')
  tally.lost += count('lost', 'falseAcknowledgements')
  tally.twice += count('twice')
  tally.altered += count('altered', 'otherReference')
  const findings = [story['integrity'] ?? 'ok'].flat().filter((finding) => finding !== 'ok')
  tally.corrupt += count('corrupt', 'breaks') + findings.length
}

/** Of what must never happen. */
export function countFaults({ lost, twice, altered, corrupt }: Tally): number {
  return lost + twice + altered + corrupt
}

/** Some count by kind, some list what they found. */
function sumOf(counts: unknown): number {
  if (typeof counts === 'number') return counts
  if (Array.isArray(counts)) return counts.length
  const kinds = Object.values((counts ?? {}) as Record<string, number>)
  return kinds.reduce((sum, each) => sum + each, 0)
}
