/**
 * Makes dist/, which the npm package holds in place of src/: Node reads no TypeScript below
 * node_modules. Made from the same files, it is the same byte for byte.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toSiteLock } from '../src/operator/init.ts'
import { readShipped, toSbom, writeLicences } from './third-party.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const at = (path: string) => join(root, path)

rmSync(at('dist'), { recursive: true, force: true })
execFileSync(
  process.execPath,
  [at('node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'],
  {
    cwd: root,
    stdio: 'inherit',
  },
)
for (const path of globSync('**/*.js', { cwd: at('dist') })) nameCompiledFiles(at(`dist/${path}`))
// SQL, styles and what browsers run.
for (const path of globSync('**/*.*', { cwd: at('src'), exclude: ['**/*.ts'] })) {
  if (!existsSync(at(`dist/${path}`))) cpSync(at(`src/${path}`), at(`dist/${path}`))
}
// npm reads no lock file of a package, so a site gets this one as its own, before it installs.
const lock = readFileSync(at('package-lock.json'), 'utf8')
writeFileSync(at('dist/package-lock.json'), toSiteLock(lock))
const shipped = readShipped(root)
writeFileSync(at('dist/sbom.json'), toSbom(root, shipped))
writeFileSync(at('dist/THIRD-PARTY-LICENSES'), writeLicences(root, shipped))

/** The compiler rewrites imports, but not the files that are named by address, such as threads. */
function nameCompiledFiles(path: string): void {
  const source = readFileSync(path, 'utf8')
  const named = source.replaceAll(/(new URL\('[^']+)\.ts'/g, "$1.js'")
  if (named !== source) writeFileSync(path, named)
}
