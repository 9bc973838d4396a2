/** Shows the figures as a table, and keeps them as JSON. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { isMet } from './case.ts'
import type { Figure } from './case.ts'

export type Measured = { name: string; figures: Figure[]; skipped?: string }

const widths = [23, 27, 9, 9, 8, 15, 7]
const resultsDir = new URL('results/', import.meta.url)

export function headLine(): string {
  return toLine(['case', 'figure', 'value', 'goal', 'stretch', 'us ref / ours', 'ok'], 'remark')
}

export function toLines({ name, figures, skipped }: Measured): string {
  if (skipped !== undefined) return toLine([name, skipped], '')
  return figures
    .map((figure) => {
      const { what, value, unit, goal, costUs, remark = '' } = figure
      const cells = [
        name,
        what,
        `${toShort(value)} ${unit}`,
        goal === undefined ? '' : 'atLeast' in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`,
        String(goal?.stretch ?? ''),
        costUs === undefined ? '' : `${toShort(costUs.reference)} / ${toShort(costUs.subject)}`,
        goal === undefined ? '' : isMet(figure) ? 'ok' : 'MISSED',
      ]
      return toLine(cells, remark)
    })
    .join('')
}

export function writeResults(measured: readonly Measured[]): void {
  const results = {
    at: new Date().toISOString(),
    node: process.version,
    cpu: `${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown'}`,
    load: loadavg(),
    cases: measured,
  }
  mkdirSync(resultsDir, { recursive: true })
  writeFileSync(new URL('latest.json', resultsDir), `${JSON.stringify(results, undefined, 2)}\n`)
}

function toLine(cells: string[], remark: string): string {
  const padded = cells.map((cell, index) => cell.padEnd(widths[index]!))
  return `${`${padded.join(' ')} ${remark}`.trimEnd()}\n`
}

function toShort(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(3)
}
