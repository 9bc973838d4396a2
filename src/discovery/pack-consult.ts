/**
 * A program that writes the package of the client's command to standard output: its source as plain
 * JavaScript, in a gzipped tar. Its arguments are the address of the site and the version.
 */
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { commandName, packageName } from '../contract/commands.ts'
import { documents } from '../contract/documents.ts'
import { toTar } from './tar.ts'

const [baseUrl = '', version] = process.argv.slice(2)
const source = fileURLToPath(new URL('..', import.meta.url))
/** `.ts` in a checkout; `.js` in the package, which is compiled. */
const extension = import.meta.url.slice(-3)
const entry = `consult/consult${extension}`
const importOfOurs = /from '(\.[^']+)\.[jt]s'/g

const modules = [...modulesFrom(entry)].sort(([one], [other]) => (one < other ? -1 : 1))
const files = [
  { path: 'package.json', text: `${JSON.stringify(describePackage(), null, 2)}\n` },
  { path: 'README.md', text: writeReadme() },
  { path: 'LICENSE', text: readFileSync(join(source, '../LICENSE'), 'utf8') },
  ...modules.map(([path, text]) => ({ path: `dist/${path}`, text })),
]
const tar = toTar(files.map(({ path, text }) => ({ path: `package/${path}`, text })))
process.stdout.write(gzipSync(tar, { level: 9 }))

/** The module and all that it imports, by path. Imports of types are gone with the types. */
function modulesFrom(path: string, found = new Map<string, string>()): Map<string, string> {
  const written = readFileSync(join(source, path), 'utf8')
  const script = extension === '.ts' ? stripTypeScriptTypes(written) : written
  found.set(toScriptPath(path), script.replaceAll(importOfOurs, "from '$1.js'"))
  for (const [, imported] of script.matchAll(importOfOurs)) {
    const next = join(dirname(path), `${imported}${extension}`)
    if (!found.has(toScriptPath(next))) modulesFrom(next, found)
  }
  return found
}

function toScriptPath(path: string): string {
  return path.replace(/\.ts$/, '.js')
}

function describePackage(): object {
  return {
    name: packageName,
    version,
    description: `Sends a Consultation request to ${baseUrl}, in stages: look, draft, check, send.`,
    homepage: baseUrl + documents.cli.path,
    license: 'MIT',
    type: 'module',
    bin: { [commandName]: `dist/${toScriptPath(entry)}` },
    engines: { node: '>=20' },
    // The site that the command asks unless it is told another.
    baseUrl,
  }
}

function writeReadme(): string {
  return `# ${commandName}

Sends a Consultation request to ${baseUrl}, from a shell, in stages: look, draft, check, send. All it can do: ${baseUrl}${documents.cli.path}
`
}
