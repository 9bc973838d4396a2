/**
 * Replays recorded requests against this checkout and lists every answer that differs from the
 * recording. `node test/trials/replay/replay.test.ts --record` writes a new recording.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import test, { type TestContext } from 'node:test'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { startServiceProcess, temporaryFolder } from '../../support/service.ts'
import { sendAll } from './requests.ts'
import { Session, type Noted } from './session.ts'

const file = new URL('recording.json.br', import.meta.url)
const shownLines = 8

test('every recorded request gets its recorded answer', async (t) => {
  const noted = await replay(t)
  if (process.argv.includes('--record')) {
    writeFileSync(file, brotliCompressSync(JSON.stringify(noted)))
  }
  const recorded = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Noted[]
  assert.equal(compare(recorded, noted).join('\n'), '')
})

async function replay(t: TestContext): Promise<Noted[]> {
  const dataDir = temporaryFolder(t)
  const env = { BASE_URL: 'https://decks.example.com', CONTENT_DIR: 'content' }
  const service = await startServiceProcess({ dataDir, env })
  t.after(() => service.stop())
  const operatorEnv = { ...env, DATA_DIR: dataDir, PATH: process.env['PATH']! }
  const session = new Session(service.url, operatorEnv)
  await sendAll(session)
  return session.noted
}

/** The requests whose answers differ, each with the lines that only one answer has. */
function compare(recorded: Noted[], now: Noted[]): string[] {
  return recorded.flatMap(({ request, answer }, at) => {
    const other = now[at]
    if (other?.request !== request) return [`${request}, now asked: ${other?.request}`]
    if (String(other.answer) === String(answer)) return []
    return [request, ...own('-', answer, other.answer), ...own('+', other.answer, answer)]
  })
}

function own(sign: string, lines: string[], others: string[]): string[] {
  const known = new Set(others)
  const differing = lines.filter((line) => !known.has(line))
  return differing.slice(0, shownLines).map((line) => `  ${sign} ${line.slice(0, 160)}`)
}
