/**
 * npm run bench -- [--list] [--short] [case ...]
 *
 * Needs Linux, for the CPU time and memory of a process. Prints each figure beside its floor. Exits
 * with 1 when a floor is missed by a tenth or more.
 * --short does a twentieth of the work and judges nothing: it shows that the cases still run.
 */
import { parseArgs } from 'node:util'
import { judge, type Figure, type Floor, type Group, type Verdict } from './case.ts'
import { growth } from './growth.ts'
import { leads } from './leads.ts'
import { pages } from './pages.ts'
import { memory, slowCommit, start } from './process.ts'
import { syncUs } from './server.ts'

const groups: readonly Group[] = [leads, pages, slowCommit, growth, start, memory]
const shortPart = 0.05
const widths = [14, 27, 9, 8, 7]

process.exitCode = await bench()

async function bench(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { list: { type: 'boolean' }, short: { type: 'boolean' } },
  })
  const all = groups.flatMap(({ cases }) => Object.entries(cases))
  if (values.list) {
    for (const [name, meaning] of all) print([name, meaning])
    return 0
  }
  const unknown = positionals.filter((name) => !all.some(([known]) => known === name))
  if (unknown.length > 0) {
    print([`There is no case ${unknown.join(', ')}. Add --list to see all cases.`])
    return 2
  }
  const verdicts: Verdict[] = []
  const part = values.short ? shortPart : 1
  const scaled = (count: number) => Math.ceil(count * part)
  print([`Node ${process.version}; the disk syncs a page in ${syncUs().toFixed(0)} us`])
  print(['case', 'figure', 'value', 'floor', '', 'remark'])
  for (const group of groups) {
    const names = Object.keys(group.cases).filter(
      (name) => positionals.length === 0 || positionals.includes(name),
    )
    if (names.length === 0) continue
    for (const figure of await group.measure({ names, scaled })) {
      const verdict = values.short ? '' : judge(figure)
      printFigure(figure, verdict)
      verdicts.push(verdict)
    }
  }
  return verdicts.includes('MISSED') ? 1 : 0
}

function printFigure(figure: Figure, verdict: Verdict): void {
  const { value, unit, floor, remark = '' } = figure
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  const shown = `${value.toFixed(digits)} ${unit}`
  print([figure.case, figure.what, shown, toText(floor), verdict, remark])
}

function toText(floor: Floor | undefined): string {
  if (floor === undefined) return 'none'
  return 'atLeast' in floor ? `>= ${floor.atLeast}` : `<= ${floor.atMost}`
}

function print(cells: readonly string[]): void {
  const padded = cells.map((cell, at) => cell.padEnd(widths[at] ?? 0))
  process.stdout.write(`${padded.join(' ').trimEnd()}\n`)
}
