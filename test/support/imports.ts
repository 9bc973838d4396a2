/** Which files a file imports, read from its text: types, `import()` and `new URL('….ts')` of a thread included. */
import { existsSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'

const known = new Map<string, string[]>()

export function localImports(file: string): string[] {
  let imports = known.get(file)
  if (imports === undefined) {
    imports = specifiers(file)
      .filter((name) => name.startsWith('.'))
      .map((name) => join(dirname(file), name))
    known.set(file, imports)
  }
  return imports
}

export function packageImports(file: string): string[] {
  return specifiers(file)
    .filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    )
    .filter((name) => !builtinModules.includes(name))
}

/** All files that a file imports, directly or through others. */
export function reachableFrom(file: string, seen = new Set<string>()): Set<string> {
  for (const target of localImports(file)) {
    if (!seen.has(target)) reachableFrom(target, seen.add(target))
  }
  return seen
}

function specifiers(file: string): string[] {
  if (!existsSync(file)) return []
  const source = readFileSync(file, 'utf8')
  return [...source.matchAll(/(?:from|import\(?)\s*'([^']+)'|new URL\('([^']+\.ts)'/g)].map(
    ([, imported, located]) => imported ?? `./${located}`,
  )
}
