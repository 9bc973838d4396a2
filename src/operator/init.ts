/** `lead-intake init`: writes a folder for a site, in which an upgrade changes the program and never the words. */
import { chmodSync, cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { essentialNames, settingTable } from '../config.ts'
import { CommandFailed, type Shell } from './shell.ts'

/** The content of this program; in a clone, with what its owner has edited. */
const ownContent = fileURLToPath(new URL('../../content', import.meta.url))

const ownReadme = new URL('../../packaging/site/README.md', import.meta.url)

const own = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  name: string
  version: string
  scripts: Record<'start' | 'lead-intake', string>
}

export async function initSite(shell: Shell, folder: string): Promise<void> {
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
  write(join(site, 'README.md'), readFileSync(ownReadme, 'utf8').replace('NAME', basename(site)))
  writeFileSync(join(site, 'package.json'), writePackageFile(basename(site), readPackage(site)))
  const install = existsSync(join(site, 'node_modules/lead-intake')) ? '' : 'npm install && '
  await shell.print(
    `${site} is ready. Start it with: cd ${inShell(folder)} && ${install}npm start\n`,
  )
}

function inShell(word: string): string {
  return /^[\w./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** Writes a file, unless it is there. */
function write(path: string, text: string): void {
  if (!existsSync(path)) writeFileSync(path, text)
}

/** The file that npm has written, if the package was installed first. */
function readPackage(site: string): object {
  const path = join(site, 'package.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as object) : {}
}

const gitIgnored = 'node_modules/\n/data/\n/backups/\n.env\n'

/** Without it npm warns on Node 20, though the program runs on the Node that it brings. */
const npmSettings = 'loglevel=error\nfund=false\n'

/** Every setting that matters most, as a note: nothing has to be set. */
function writeEnvFile(): string {
  const rows = essentialNames.map((name) => {
    const { meaning, fallback } = settingTable[name]
    return `# ${meaning}\n# ${name}=${fallback}\n`
  })
  const head =
    '# The settings of the site. Take away the # before a name to use it.\n# "npx lead-intake config" shows all settings, "npx lead-intake doctor" checks them.\n'
  return [head, ...rows].join('\n')
}

/** `found`: what is in the folder already, and stays. */
function writePackageFile(
  name: string,
  found: { dependencies?: object; scripts?: object },
): string {
  const file = {
    name: name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-'),
    private: true,
    ...found,
    scripts: { start: fromSite('start'), 'lead-intake': fromSite('lead-intake'), ...found.scripts },
    dependencies: { [own.name]: `^${own.version}`, ...found.dependencies },
  }
  return `${JSON.stringify(file, undefined, 2)}\n`
}

/** The script of a checkout, for a folder that has the program below node_modules. */
function fromSite(script: keyof typeof own.scripts): string {
  return own.scripts[script].replaceAll('bin/', `node_modules/${own.name}/bin/`)
}
