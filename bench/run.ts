/** npm run bench [-- case ...]: runs the cases, shows each figure beside its goal, fails when one is missed. */
import { isMet } from './case.ts'
import type { Case } from './case.ts'
import { cases } from './cases.ts'
import { clearAwayAtExit } from './clear-away.ts'
import { headLine, toLines, writeResults } from './report.ts'
import type { Measured } from './report.ts'

clearAwayAtExit()
process.exitCode = await bench(process.argv.slice(2))

async function bench(names: readonly string[]): Promise<number> {
  if (names.includes('--list')) {
    for (const { name, meaning } of cases) say(`${name.padEnd(24)}${meaning}\n`)
    return 0
  }
  const unknown = names.filter((name) => !cases.some((each) => each.name === name))
  if (unknown.length > 0) {
    say(`There is no case ${unknown.join(', ')}. "npm run bench -- --list" shows them all.\n`)
    return 2
  }
  const chosen = cases.filter(({ name, onDemand }) =>
    names.length === 0 ? !onDemand : names.includes(name),
  )
  const measured: Measured[] = []
  say(headLine())
  for (const each of chosen) {
    const result = await measure(each)
    measured.push(result)
    say(toLines(result))
    writeResults(measured)
  }
  return measured.every(({ figures }) => figures.every(isMet)) ? 0 : 1
}

/** A goal missed once may be the machine's doing: a second, longer look decides. */
async function measure({ name, needsLinux, run }: Case): Promise<Measured> {
  if (needsLinux && process.platform !== 'linux') {
    return { name, figures: [], skipped: 'needs Linux, which counts CPU time by thread' }
  }
  const figures = await run(1)
  return { name, figures: figures.every(isMet) ? figures : await run(2) }
}

function say(text: string): void {
  process.stdout.write(text)
}
