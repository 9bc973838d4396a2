/** The fenced blocks of the documents. */
import { globSync, readFileSync } from 'node:fs'

export type Block = {
  file: string
  /** Of its first line, counted from one. */
  line: number
  /** What follows the fence: `sh`, `sh run`, `yaml`. */
  kind: string
  text: string
}

/** What a reader of the project sees; decisions hold no blocks that anybody types. */
export const docFiles = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/{,developers/}*.md').sort(),
  ...globSync('packages/*/README.md'),
]

export function readBlocks(file: string): Block[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^ *```$/gm)].map((found) => {
    const [, indent = '', kind = '', lines = ''] = found
    return {
      file,
      line: text.slice(0, found.index).split('\n').length + 1,
      kind,
      text: lines.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }
  })
}

/** The blocks that are tagged `sh run`, as one script. */
export function readRunBlocks(file: string): string {
  return readBlocks(file)
    .filter(({ kind }) => kind === 'sh run')
    .map(({ text }) => text)
    .join('\n')
}

/** What stands between two backticks outside of blocks. */
export function readInlineCode(file: string): string[] {
  const prose = readFileSync(file, 'utf8').replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!)
}
