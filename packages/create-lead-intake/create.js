#!/usr/bin/env node
/**
 * What `npm create lead-intake@latest my-site` runs: installs the program into the folder, and has it
 * write the rest. Plain JavaScript, for Node 20 or later.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const [folder, ...options] = process.argv.slice(2)
if (folder === undefined || folder.startsWith('-')) {
  end(2, 'Say which folder to write: npm create lead-intake@latest my-site')
}
const site = resolve(folder)
if (existsSync(site) && !statSync(site).isDirectory()) end(2, `${site} is a file; name a folder.`)
if (existsSync(join(site, 'content'))) end(2, `${site} has content already; nothing was changed.`)

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))
mkdirSync(site, { recursive: true })
// Without it npm would install into the next folder above that has one.
if (!existsSync(join(site, 'package.json'))) {
  writeFileSync(join(site, 'package.json'), '{ "private": true }\n')
}
const npm = process.env['npm_execpath']
// On Node 20 npm warns of packages, though the program runs on the Node that it brings.
const quiet = ['--no-fund', '--no-audit', '--loglevel=error']
const install = ['install', ...quiet, `lead-intake@^${version}`]
run(npm === undefined ? ['npm', ...install] : [process.execPath, npm, ...install], site)
const leadIntake = join(site, 'node_modules/lead-intake/bin/lead-intake.js')
run([process.execPath, leadIntake, 'init', folder, ...options])

/** @param {string[]} words @param {string} [cwd] */
function run([program, ...words], cwd) {
  const { status } = spawnSync(program, words, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}

/** @param {number} code @param {string} sentence */
function end(code, sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(code)
}
