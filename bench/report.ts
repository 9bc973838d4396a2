/** Prints the figures as a table and writes them as JSON. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import type { AgainstFigure } from './against.ts'
import { isMet } from './case.ts'
import type { Figure, Goal } from './case.ts'
import { here } from './programs.ts'

export type Measured = { name: string; figures: Figure[]; skipped?: string }

const widths = [23, 27, 9, 9, 15, 7]
const againstWidths = [23, 12, 9, 9, 13, 17, 9, 7]
const resultsDir = new URL('results/', import.meta.url)

export function headLine(): string {
  return toLine(['case', 'figure', 'value', 'goal', 'us ref / ours', 'ok', 'remark'], widths)
}

export function toLines({ name, figures, skipped }: Measured): string {
  if (skipped !== undefined) return toLine([name, skipped], widths)
  return figures
    .map((figure) => {
      const { what, value, unit, goal, costUs, remark = '' } = figure
      const cells = [
        name,
        what,
        `${toShort(value)} ${unit}`,
        toText(goal),
        costUs === undefined ? '' : `${toShort(costUs.reference)} / ${toShort(costUs.subject)}`,
        toVerdict(figure),
        remark,
      ]
      return toLine(cells, widths)
    })
    .join('')
}

export function againstHeadLine(): string {
  const cells = ['case', 'figure', 'here', 'there', 'here / there', 'middle half', 'goal', 'ok']
  return toLine([...cells, 'remark'], againstWidths)
}

export function toAgainstLine(name: string, figure: AgainstFigure): string {
  const { what, here: ours, there, value, spread, goal, rounds } = figure
  const cells = [
    name,
    what,
    toShort(ours),
    toShort(there),
    value.toFixed(3),
    spread.map((ratio) => ratio.toFixed(3)).join(' .. '),
    toText(goal),
    toVerdict(figure),
    `${rounds} rounds`,
  ]
  return toLine(cells, againstWidths)
}

/** `results`: the cases, and what the run was compared with. */
export function writeResults(file: 'latest.json' | 'against.json', results: object): void {
  const all = {
    at: new Date().toISOString(),
    node: here.nodeVersion,
    cpu: `${availableParallelism()} x ${process.arch} ${cpus()[0]?.model ?? 'unknown'}`,
    load: loadavg(),
    ...results,
  }
  mkdirSync(resultsDir, { recursive: true })
  writeFileSync(new URL(file, resultsDir), `${JSON.stringify(all, undefined, 2)}\n`)
}

function toText(goal: Goal | undefined): string {
  if (goal === undefined) return ''
  return 'atLeast' in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`
}

function toVerdict(figure: { value: number; goal?: Goal | undefined }): string {
  if (figure.goal === undefined) return ''
  return isMet(figure) ? 'ok' : 'MISSED'
}

/** The last cell has no width. */
function toLine(cells: readonly string[], columns: readonly number[]): string {
  const padded = cells.map((cell, index) => cell.padEnd(columns[index] ?? 0))
  return `${padded.join(' ').trimEnd()}\n`
}

function toShort(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(3)
}
