/** The client's command in a process of its own, with nobody at a terminal. */
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'

export type Run = { code: number | null; out: string; error: string }

export type RunOptions = {
  cwd: string
  baseUrl?: string
  env?: Record<string, string>
  /** On standard input. */
  input?: string
}

export const script = resolve('src/consult/consult.ts')

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
      // Where the service keeps it too: reading the source anew would be most of each run.
      NODE_COMPILE_CACHE: resolve('node_modules/.cache/compile'),
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
  return { code, out, error: error.replaceAll(triedAgain, '') }
}

/** On a slow machine an answer may take longer than the default timeout: the next try gets it. */
const triedAgain = / *\S+ did not answer within 10 seconds\. Trying again .*\n/g
