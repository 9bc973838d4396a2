/**
 * Runs `lead-intake backup …` as a process of its own: copying a database takes long, and a fault in it
 * must not end the service.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Made } from './make.ts'

export type BackupRun = {
  done: Promise<Pick<Made, 'path' | 'leads' | 'bytes'> & { forgotten?: number }>
  stop(): void
}

const program = fileURLToPath(new URL('../../bin/lead-intake.js', import.meta.url))

/** `words`: after `backup`. */
export function runBackupCommand(...words: string[]): BackupRun {
  const child = spawn(process.execPath, [program, 'backup', ...words, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { done: readAnswer(), stop: () => void child.kill() }

  async function readAnswer(): BackupRun['done'] {
    const [out, faults] = [text(child.stdout), text(child.stderr)]
    const ended = once(child, 'close') as Promise<[code: number | null]>
    const [code] = await ended
    if (code !== 0) throw new BackupFailed(toSentence((await faults).trim()))
    return JSON.parse(await out) as Made
  }
}

/** A stack gives only the name of its error: the message may repeat what was sent. */
function toSentence(said: string): string {
  if (said === '') return 'The backup was killed.'
  if (!/^ +at /m.test(said)) return said.split('\n').at(-1)!
  const [name] = /^\w*Error(?: \[\w+\])?/m.exec(said) ?? ['error']
  return `The backup ended with an unexpected ${name}.`
}

class BackupFailed extends Error {
  override name = 'BackupFailed'
  readonly note: string

  constructor(note: string) {
    super(note)
    this.note = note
  }
}
