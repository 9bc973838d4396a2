/**
 * npm run bench -- [--list] [case ...]
 *
 * Runs the cases, prints each figure beside its goal and exits with 1 when a goal is missed.
 */
import { parseArgs } from 'node:util'
import { isMet } from './case.ts'
import type { Case } from './case.ts'
import { cases } from './cases.ts'
import { cleanUpAtExit } from './cleanup.ts'
import { here } from './programs.ts'
import { headLine, toLines, writeResults } from './report.ts'
import type { Measured } from './report.ts'

cleanUpAtExit()
process.exitCode = await bench()

async function bench(): Promise<number> {
  const { values, positionals: names } = parseArgs({
    allowPositionals: true,
    options: { list: { type: 'boolean' } },
  })
  if (values.list) {
    for (const { name, meaning } of cases) print(`${name.padEnd(24)}${meaning}\n`)
    return 0
  }
  const unknown = names.filter((name) => !cases.some((each) => each.name === name))
  if (unknown.length > 0) {
    print(`There is no case ${unknown.join(', ')}. Add --list to see all cases.\n`)
    return 2
  }
  const isChosen = ({ name, onDemand }: Pick<Case, 'name' | 'onDemand'>) =>
    names.length === 0 ? !onDemand : names.includes(name)
  return againstBareServers(cases.filter(isChosen))
}

async function againstBareServers(chosen: readonly Case[]): Promise<number> {
  const measured: Measured[] = []
  print(`Node ${here.nodeVersion}\n${headLine()}`)
  for (const each of chosen) {
    const result = await measure(each)
    measured.push(result)
    print(toLines(result))
    writeResults(measured)
  }
  return measured.every(({ figures }) => figures.every(isMet)) ? 0 : 1
}

async function measure({ name, needsLinux, run }: Case): Promise<Measured> {
  if (needsLinux && process.platform !== 'linux') {
    return { name, figures: [], skipped: 'needs Linux, which counts CPU time by thread' }
  }
  return { name, figures: await withSecondRun(run) }
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
