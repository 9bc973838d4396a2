/**
 * Replays recorded requests against this checkout and lists every answer that differs from the
 * recording: `node test/replay/run.ts`. With `--record` it writes a new recording.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { startServiceProcess } from '../support/service.ts'
import { sendAll } from './requests.ts'
import { Session, type Noted } from './session.ts'

const file = new URL('../data/replay.json.br', import.meta.url)
const shownLines = Number(process.env['REPLAY_LINES'] ?? 8)

const noted = await replay()
if (process.argv.includes('--record')) {
  writeFileSync(file, brotliCompressSync(JSON.stringify(noted)))
  process.stdout.write(`${noted.length} requests recorded\n`)
} else {
  compare(JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Noted[], noted)
}

async function replay(): Promise<Noted[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'replay-'))
  const env = { BASE_URL: 'https://decks.example.com', CONTENT_DIR: 'content' }
  const service = await startServiceProcess({ dataDir, env })
  try {
    const session = new Session(service.url, {
      ...env,
      DATA_DIR: dataDir,
      PATH: process.env['PATH']!,
    })
    await sendAll(session)
    return session.noted
  } finally {
    await service.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function compare(recorded: Noted[], now: Noted[]): void {
  let differing = 0
  for (const [at, { request, answer }] of recorded.entries()) {
    const other = now[at]
    if (other?.request === request && String(other.answer) === String(answer)) continue
    differing += 1
    process.stdout.write(`\n${request}\n`)
    if (other?.request !== request) process.stdout.write(`  now asked: ${other?.request}\n`)
    tell('-', answer, other?.answer ?? [])
    tell('+', other?.answer ?? [], answer)
  }
  process.stdout.write(`\n${recorded.length} requests replayed, ${differing} answers differ\n`)
}

/** Lines of one answer that the other lacks. */
function tell(sign: string, lines: string[], others: string[]): void {
  const known = new Set(others)
  const own = lines.filter((line) => !known.has(line))
  for (const line of own.slice(0, shownLines))
    process.stdout.write(`  ${sign} ${line.slice(0, 160)}\n`)
  if (own.length > shownLines) process.stdout.write(`  ${sign} … ${own.length - shownLines} more\n`)
}
