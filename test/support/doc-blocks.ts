/** The shell blocks of a document that are tagged `sh run`, as one script. */
import { readFileSync } from 'node:fs'

export function readRunBlocks(file: string): string {
  const blocks = readFileSync(file, 'utf8').matchAll(/^( *)```sh run\n([\s\S]*?)^ *```$/gm)
  return [...blocks].map(([, , lines]) => lines!.replaceAll(/^ +/gm, '')).join('\n')
}
