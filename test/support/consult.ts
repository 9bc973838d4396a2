import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { Failed, run as runCommand } from '../../public/consult.mjs'

// oxlint-disable-next-line typescript/no-explicit-any -- Each test looks into what it asked for.
export type Told = { code: number | null; json: any }

/** The command as a function: a process for each call takes long. */
export async function call(...words: string[]): Promise<Told> {
  try {
    const { json } = await runCommand(words)
    return { code: 0, json }
  } catch (failed) {
    if (!(failed instanceof Failed)) throw failed
    return { code: failed.exitCode, json: { error: failed.error } }
  }
}

export type Run = { code: number | null; out: string; error: string }

export type RunOptions = {
  cwd: string
  baseUrl?: string
  env?: Record<string, string>
  input?: string
}

export const script = resolve('public/consult.mjs')

export function consult(words: readonly string[], options: RunOptions): Promise<Run> {
  return run([process.execPath, script, ...words], options)
}

export async function run(
  [program, ...words]: readonly string[],
  { cwd, baseUrl, env = {}, input = '' }: RunOptions,
): Promise<Run> {
  const child = spawn(program!, words, {
    cwd,
    env: {
      PATH: process.env['PATH'],
      ...(baseUrl !== undefined && { CONSULT_BASE_URL: baseUrl }),
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [out, error, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((settle) => child.once('close', settle)),
  ])
  return { code, out, error }
}
