/**
 * What was made of some files at an earlier start, as long as nothing has changed. Reading Markdown
 * and YAML takes longer than all the rest of a start.
 */
import { hash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../node_modules/.cache/site', import.meta.url))
const kept = 8

export type Memory<T> = { recall: () => T | undefined; keep: (value: T) => void }

/** `inputs`: folders whose every file counts; `also`: whatever else the value depends on. */
export function openMemory<T>(inputs: readonly string[], also: readonly string[]): Memory<T> {
  const file = join(folder, `${keyOf(inputs, also)}.json`)
  return {
    recall() {
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as T
      } catch {
        return undefined
      }
    },
    /** Where it cannot be written, the next start takes a little longer. */
    keep(value) {
      try {
        mkdirSync(folder, { recursive: true })
        const unfinished = `${file}.${process.pid}`
        writeFileSync(unfinished, JSON.stringify(value))
        renameSync(unfinished, file)
        for (const old of globSync('*.json', { cwd: folder }).slice(kept)) {
          rmSync(join(folder, old), { force: true })
        }
      } catch {}
    },
  }
}

function keyOf(inputs: readonly string[], also: readonly string[]): string {
  const parts = [...also]
  for (const input of inputs) {
    for (const entry of globSync('**/*.*', { cwd: input }).sort()) {
      parts.push(entry, hash('sha256', readFileSync(join(input, entry))))
    }
  }
  return hash('sha256', JSON.stringify(parts))
}
