/**
 * What was made of some files at an earlier start, as long as nothing has changed. Reading Markdown
 * and YAML takes longer than all the rest of a start.
 */
import { hash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import { filesIn } from './files-in.ts'

const folder = fileURLToPath(new URL('../../node_modules/.cache/site', import.meta.url))
/** Of the files there, each some hundred kilobytes. */
const kept = 64

export type Memory<T> = {
  has: () => boolean
  recall: () => T | undefined
  keep: (value: T) => void
}

export function openMemory<T>(name: string): Memory<T> {
  const file = join(folder, `${name}.bin`)
  return {
    has: () => existsSync(file),
    recall() {
      try {
        return open(readFileSync(file)) as T
      } catch {
        return undefined
      }
    },
    /** Where it cannot be written, the next start takes a little longer. */
    keep(value) {
      try {
        mkdirSync(folder, { recursive: true })
        const unfinished = `${file}.${process.pid}`
        writeFileSync(unfinished, close(value))
        renameSync(unfinished, file)
        forgetOldest()
      } catch {}
    },
  }
}

/** With a digest before it: what a disk has damaged is made anew. */
function close(value: unknown): Buffer {
  const bytes = serialize(value)
  return Buffer.concat([Buffer.from(hash('sha256', bytes), 'hex'), bytes])
}

function open(bytes: Buffer): unknown {
  const [digest, rest] = [bytes.subarray(0, 32), bytes.subarray(32)]
  return hash('sha256', rest) === digest.toString('hex') ? deserialize(rest) : undefined
}

function forgetOldest(): void {
  const newestFirst = filesIn(folder)
    .map((name) => join(folder, name))
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .sort((a, b) => b.at - a.at)
  for (const { path } of newestFirst.slice(kept)) rmSync(path, { force: true })
}

/** `inputs`: folders whose every file counts; `also`: whatever else a value depends on. */
export function keyOf(inputs: readonly string[], also: readonly string[]): string {
  const parts = [process.version, ...also]
  for (const input of inputs) {
    for (const path of filesIn(input)) {
      parts.push(path, hash('sha256', readFileSync(join(input, path))))
    }
  }
  return hash('sha256', JSON.stringify(parts))
}
