/** The only reader of the environment. config.ts says what it means. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

export type Environment = Readonly<Record<string, string | undefined>>

/** The environment of the process; then a `.env` file in the working folder. */
export function readEnvironment(): Environment {
  return { ...parseEnv(readEnvText()), ...process.env }
}

/** '' where there is no such file. */
export function readEnvText(): string {
  try {
    return readFileSync('.env', 'utf8')
  } catch {
    return ''
  }
}
