// Makes what is packed: the command and what it uses of the contract, as plain JavaScript.
import { execFileSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('.', import.meta.url)))
// A file that is gone from the source would otherwise stay in the package.
rmSync('dist', { recursive: true, force: true })
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
execFileSync(process.execPath, [compiler, '--project', '.'], { stdio: ['ignore', 2, 2] })
copyFileSync('../../LICENSE', 'LICENSE')
