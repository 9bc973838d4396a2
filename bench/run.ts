/**
 * npm run bench -- [--against FOLDER] [--list] [case ...]
 *
 * Runs the cases, prints each figure beside its goal and exits with 1 when a goal is missed.
 */
import { parseArgs } from 'node:util'
import { againstCases } from './against-cases.ts'
import type { AgainstCase } from './against-cases.ts'
import { runAgainst } from './against.ts'
import type { AgainstFigure } from './against.ts'
import { isMet } from './case.ts'
import type { Case } from './case.ts'
import { cases } from './cases.ts'
import { cleanUpAtExit } from './cleanup.ts'
import { here, readCheckout } from './programs.ts'
import type { Checkout } from './programs.ts'
import { againstHeadLine, headLine, toAgainstLine, toLines, writeResults } from './report.ts'
import type { Measured } from './report.ts'
import { fillSiteCache } from './site.ts'

cleanUpAtExit()
process.exitCode = await bench()

async function bench(): Promise<number> {
  const { values, positionals: names } = parseArgs({
    allowPositionals: true,
    options: { against: { type: 'string' }, list: { type: 'boolean' } },
  })
  const all: readonly (Case | AgainstCase)[] = values.against === undefined ? cases : againstCases
  if (values.list) {
    for (const { name, meaning } of all) print(`${name.padEnd(24)}${meaning}\n`)
    return 0
  }
  const unknown = names.filter((name) => !all.some((each) => each.name === name))
  if (unknown.length > 0) {
    print(`There is no case ${unknown.join(', ')} here. Add --list to see all cases.\n`)
    return 2
  }
  const isChosen = ({ name, onDemand }: Pick<Case, 'name' | 'onDemand'>) =>
    names.length === 0 ? !onDemand : names.includes(name)
  return values.against === undefined
    ? againstBareServers(cases.filter(isChosen))
    : againstCheckout(readCheckout(values.against), againstCases.filter(isChosen))
}

async function againstBareServers(chosen: readonly Case[]): Promise<number> {
  const measured: Measured[] = []
  print(`Node ${here.nodeVersion}\n${headLine()}`)
  for (const each of chosen) {
    const result = await measure(each)
    measured.push(result)
    print(toLines(result))
    writeResults('latest.json', { cases: measured })
  }
  return measured.every(({ figures }) => figures.every(isMet)) ? 0 : 1
}

async function measure({ name, needsLinux, run }: Case): Promise<Measured> {
  if (needsLinux && process.platform !== 'linux') {
    return { name, figures: [], skipped: 'needs Linux, which counts CPU time by thread' }
  }
  return { name, figures: await withSecondRun(run) }
}

async function againstCheckout(there: Checkout, chosen: readonly AgainstCase[]): Promise<number> {
  const measured: { name: string; figures: AgainstFigure[] }[] = []
  for (const { folder, nodeVersion, service } of [here, there]) {
    print(`${folder === here.folder ? 'here' : 'there'}: ${folder}, Node ${nodeVersion}\n`)
    await fillSiteCache(service)
  }
  print(againstHeadLine())
  for (const each of chosen) {
    const figures = await withSecondRun((effort) => runAgainst(each, there, effort))
    measured.push({ name: each.name, figures })
    for (const figure of figures) print(toAgainstLine(each.name, figure))
    writeResults('against.json', { there, cases: measured })
  }
  return measured.every(({ figures }) => figures.every(isMet)) ? 0 : 1
}

/** Other load on the machine can cause a miss, so a second, longer run decides. */
async function withSecondRun<F extends Parameters<typeof isMet>[0]>(
  run: (effort: 1 | 2) => Promise<F[]>,
): Promise<F[]> {
  const figures = await run(1)
  return figures.every(isMet) ? figures : run(2)
}

function print(text: string): void {
  process.stdout.write(text)
}
