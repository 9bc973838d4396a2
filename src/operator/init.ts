/** The command `init`: writes the folder of a site. The program is a dependency there, so an upgrade never changes the content. */
import { chmodSync, cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownPackage, settingNames, settingTable } from '../config.ts'
import { CommandFailed, type Shell } from './shell.ts'
import { readAnswers, writeStarter, type Answers } from './starter.ts'

const ownContent = fileURLToPath(new URL('../../content', import.meta.url))

const ownReadme = new URL('../../packaging/site/README.md', import.meta.url)

/** A clone has the first one, and the package the second, made by its build. */
const ownLocks = ['package-lock.json', 'dist/package-lock.json'].map(
  (name) => new URL(`../../${name}`, import.meta.url),
)

/** `example`: the content of this program, the site of a deck builder. `yes`: ask nothing. */
export type InitOptions = Partial<Answers> & { example?: true; yes?: true }

export async function initSite(
  shell: Shell,
  folder: string,
  { example, yes, ...given }: InitOptions,
): Promise<void> {
  const site = resolve(folder)
  if (existsSync(site) && !statSync(site).isDirectory()) {
    throw new CommandFailed('usage', `${site} is a file; name a folder.`)
  }
  if (existsSync(join(site, 'content'))) {
    throw new CommandFailed('usage', `${site} has content already; nothing was changed.`)
  }
  const content = join(site, 'content')
  const answers = example ? undefined : await readAnswers(given, yes ? undefined : shell.ask)
  if (answers === undefined) cpSync(ownContent, content, { recursive: true })
  else writeStarter(content, answers, new Date().toISOString().slice(0, 10))
  write(join(site, '.env'), writeEnvFile())
  // `.env` will hold the password of the mail server.
  chmodSync(join(site, '.env'), 0o600)
  write(join(site, '.gitignore'), gitIgnored)
  write(join(site, '.npmrc'), npmSettings)
  write(join(site, 'README.md'), readFileSync(ownReadme, 'utf8').replace('NAME', basename(site)))
  const packageFile = join(site, 'package.json')
  // npm has written a package.json if the program was installed before `init`.
  const found = existsSync(packageFile) ? readFileSync(packageFile, 'utf8') : '{}'
  writeFileSync(packageFile, writePackageFile(basename(site), JSON.parse(found) as PackageFile))
  const ownLock = readFileSync(
    ownLocks.find((path) => existsSync(path))!,
    'utf8',
  )
  // Without it npm would choose the newest versions of the packages that ours depend on.
  write(join(site, 'package-lock.json'), toSiteLock(ownLock))
  const isInstalled = existsSync(join(site, 'node_modules', ownPackage.name))
  const next = `${isInstalled ? howToStart : howToInstall(site)}\n${howToFillIn}`
  await shell.print(`${site} is ready. ${next}\n`)
}

const howToFillIn =
  'FILL IN marks what only you know: "npx lead-intake content check" lists where. node_modules/lead-intake/docs/content.md says the rest.'

const howToStart = 'Go to that folder and type: npm start'

function howToInstall(site: string): string {
  const { name, version } = ownPackage
  const quoted = `'${site.replaceAll("'", `'\\''`)}'`
  return [
    'The program is not on npm yet. In the clone type:',
    `  npm pack --pack-destination ${quoted}`,
    `  cd ${quoted}`,
    `  npm install ./${name}-${version}.tgz`,
    '  npm start',
  ].join('\n')
}

type LockEntry = {
  dev?: true
  link?: true
  /** One of our tools needs the package, and so does an optional one. */
  devOptional?: true
  optional?: true
  devDependencies?: object
}

/** The packages that a site installs, at the versions and with the hashes of our own lock file. */
export function toSiteLock(ownLock: string): string {
  const lock = JSON.parse(ownLock) as { packages: Record<string, LockEntry> }
  const { devDependencies: _, ...own } = lock.packages['']!
  const shipped = Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link)
    .map(([path, entry]) => [path, withoutOurTools(entry)])
  const packages = { '': own, ...Object.fromEntries(shipped) }
  return `${JSON.stringify({ ...lock, packages }, undefined, 2)}\n`
}

function withoutOurTools({ devOptional, ...entry }: LockEntry): LockEntry {
  return devOptional ? { ...entry, optional: true } : entry
}

function write(path: string, text: string): void {
  if (!existsSync(path)) writeFileSync(path, text)
}

const gitIgnored = 'node_modules/\n/data/\n/backups/\n.env\n'

/** `loglevel` hides npm's warning about Node 20. On Linux the program brings a Node of its own. */
const npmSettings = 'loglevel=error\nfund=false\n'

function writeEnvFile(): string {
  const rows = settingNames.map((name) => {
    const { meaning, fallback } = settingTable[name]
    return `# ${meaning}\n# ${name}=${fallback}\n`
  })
  const head =
    '# The settings of the site. Take away the # before a name to use it.\n# "npx lead-intake config" shows what is set, "npx lead-intake doctor" checks it.\n'
  return [head, ...rows].join('\n')
}

type PackageFile = { dependencies?: object; scripts?: object }

/** Keeps the entries that were `found` in the folder. */
function writePackageFile(name: string, found: PackageFile): string {
  const file = {
    name: name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-'),
    private: true,
    ...found,
    scripts: { start: fromSite('start'), 'lead-intake': fromSite('lead-intake'), ...found.scripts },
    dependencies: { [ownPackage.name]: `^${ownPackage.version}`, ...found.dependencies },
  }
  return `${JSON.stringify(file, undefined, 2)}\n`
}

/** `bin/node` becomes `node_modules/lead-intake/bin/node`. */
function fromSite(script: keyof typeof ownPackage.scripts): string {
  return ownPackage.scripts[script].replaceAll('bin/', `node_modules/${ownPackage.name}/bin/`)
}
