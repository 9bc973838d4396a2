/** Prints the figures as a table and writes them as JSON. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { isMet } from './case.ts'
import type { Figure, Goal } from './case.ts'
import { here } from './programs.ts'

export type Measured = { name: string; figures: Figure[]; skipped?: string }

const widths = [23, 27, 9, 9, 15, 7]
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

export function writeResults(measured: readonly Measured[]): void {
  const all = {
    at: new Date().toISOString(),
    node: here.nodeVersion,
    cpu: `${availableParallelism()} x ${process.arch} ${cpus()[0]?.model ?? 'unknown'}`,
    load: loadavg(),
    cases: measured,
  }
  mkdirSync(resultsDir, { recursive: true })
  writeFileSync(new URL('latest.json', resultsDir), `${JSON.stringify(all, undefined, 2)}\n`)
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
