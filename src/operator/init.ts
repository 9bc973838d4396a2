/** `lead-intake init`: writes a folder for a site, in which an upgrade changes the program and never the words. */
import { chmodSync, cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { essentialNames, settingTable } from '../config.ts'
import { CommandFailed } from './output.ts'
import { type Shell } from './shell.ts'

/** In a clone, the words that its owner has edited. */
const ownContent = fileURLToPath(new URL('../../content', import.meta.url))

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
  write(join(site, 'README.md'), writeSiteReadme(basename(site)))
  writeFileSync(join(site, 'package.json'), writePackageFile(basename(site), readPackage(site)))
  const install = existsSync(join(site, 'node_modules/lead-intake')) ? '' : 'npm install && '
  await shell.print(
    `${site} is ready. Start it with: cd ${inShell(folder)} && ${install}npm start\n`,
  )
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

function writeSiteReadme(name: string): string {
  return `# ${name}

The words and settings of a site that runs on [lead-intake](https://www.npmjs.com/package/lead-intake). The program is a dependency, so a newer version never touches these files.

| What                 | Command                                           |
| -------------------- | ------------------------------------------------- |
| install the program  | \`npm install\`                                     |
| start                | \`npm start\`, then http://localhost:3000           |
| check everything     | \`npx lead-intake doctor\`                          |
| open the inbox       | \`npx lead-intake inbox link\`                      |
| try mail, webhooks   | \`npx lead-intake test-notification\`               |
| make a backup        | \`npx lead-intake backup --to backups\`             |
| bring one back       | \`npx lead-intake restore FILE\`                    |
| take a newer version | \`npm install lead-intake@latest\`, then restart    |
| check the words      | \`npx lead-intake content check\`                   |

- \`content/business.yaml\` has the facts of the business; its notes say how to edit it. \`content/pages/\` has a Markdown file for each page, \`content/photos/\`, \`content/public/\` and \`content/style.css\` (where you add them) your photos, drawings and colours. Restart to see a change.
- \`.env\` has the settings: the address of the site, the mail server, who is told of leads.
- \`data/\` has the leads and the secret of the site. Show it to nobody. To back it up, use \`npx lead-intake backup\`, or set \`BACKUP_TO\` in \`.env\`. Do not copy the files while the service runs: such a copy may not open again. Git leaves it, \`backups/\` and \`.env\` out.
- \`node_modules/lead-intake/docs/\` has the guides; begin with its \`README.md\`.
- \`node_modules/lead-intake/packaging/\` has files for systemd, Caddy and nginx.
`
}
