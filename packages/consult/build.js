// Compiles the command, and the parts of the contract that it uses, to JavaScript in dist/.
import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('.', import.meta.url)))
// Otherwise files deleted from the source would stay in the package.
rmSync('dist', { recursive: true, force: true })
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
execFileSync(process.execPath, [compiler, '--project', '.'], { stdio: ['ignore', 2, 2] })
copyFileSync('../../LICENSE', 'LICENSE')
