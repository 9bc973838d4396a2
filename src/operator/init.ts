/** `lead-intake init`: writes a folder for a site, in which an upgrade changes the program and never the words. */
import { chmodSync, cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CommandFailed, print } from './output.ts'
import {
  gitIgnored,
  npmSettings,
  writeEnvFile,
  writePackageFile,
  writeSiteReadme,
} from './init-files.ts'

/** In a clone, the words that its owner has edited. */
const ownContent = fileURLToPath(new URL('../../content', import.meta.url))

export async function initSite(folder: string): Promise<void> {
  const site = resolve(folder)
  if (existsSync(site) && !statSync(site).isDirectory()) {
    throw new CommandFailed('usage', `${site} is a file; name a folder.`)
  }
  if (existsSync(join(site, 'content'))) {
    throw new CommandFailed('usage', `${site} has content already; nothing was changed.`)
  }
  cpSync(ownContent, join(site, 'content'), { recursive: true })
  write(join(site, '.env'), writeEnvFile())
  // It will hold the password of the mail server.
  chmodSync(join(site, '.env'), 0o600)
  write(join(site, '.gitignore'), gitIgnored)
  write(join(site, '.npmrc'), npmSettings)
  write(join(site, 'README.md'), writeSiteReadme(basename(site)))
  writeFileSync(join(site, 'package.json'), writePackageFile(basename(site), readPackage(site)))
  const install = existsSync(join(site, 'node_modules/lead-intake')) ? '' : 'npm install && '
  await print(`${site} is ready. Start it with: cd ${inShell(folder)} && ${install}npm start\n`)
}

function inShell(word: string): string {
  return /^[\w./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** Never over a file that is there. */
function write(path: string, text: string): void {
  if (!existsSync(path)) writeFileSync(path, text)
}

/** What npm has written, if the package was installed first. */
function readPackage(site: string): object {
  const path = join(site, 'package.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as object) : {}
}
