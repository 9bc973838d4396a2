/**
 * The site in a real browser. The browser ends with the tests that opened it, and also when their
 * process is killed: Chromium quits when the pipe to it closes.
 */
import { join, delimiter } from 'node:path'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  chromium,
  type Locator,
  type Page,
  type Browser,
  type BrowserContextOptions,
} from 'playwright-core'
import packed from '@sparticuz/chromium'
import { contactPath } from '../../src/contract/routes.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import { patienceMs } from './until.ts'
import { startServiceProcess, temporaryFolder, type Cleaner, holdSocket } from './service.ts'
import { readStored } from './stored.ts'

export type Site = {
  url: string
  dataDir: string
  /** A fresh browser context, without cookies: it takes most of a second. Paths are relative to the site. */
  visit(t: Cleaner, options?: BrowserContextOptions): Promise<Page>
  leads(): Lead[]
}

type Place = { url: string; dataDir: string }
type Own = { host?: string; settings?: Record<string, string> }

/**
 * The site as it comes, and a browser. Test files that run in one process share both: a site with an
 * address of its own is rendered and compressed anew. So the leads of the other files are in it, too.
 */
export async function openSite(t: Cleaner): Promise<Site> {
  return visited(await (shared ??= startService(t, {})), await openBrowser(t))
}

let shared: Promise<Place> | undefined

/** A site of its own, for tests that set something or count leads. */
export async function openOwnSite(t: Cleaner, own: Own = {}): Promise<Site> {
  return visited(await startService(t, own), await openBrowser(t))
}

/** In its own process, with its real address as BASE_URL. */
async function startService(
  t: Cleaner,
  { host = '127.0.0.1', settings = {} }: Own,
): Promise<Place> {
  const dataDir = temporaryFolder(t)
  const { fd, port } = holdSocket(t)
  const url = `http://${host}:${port}`
  const env = { BASE_URL: url, LISTEN_FD: '3', ...settings }
  const service = await startServiceProcess({ dataDir, env, stdio: ['ignore', 'pipe', 'pipe', fd] })
  t.after(async () => void (await service.stop('SIGKILL')))
  return { url, dataDir }
}

export function visited({ url, dataDir }: Place, browser: Browser): Site {
  return {
    url,
    dataDir,
    async visit(visitor, options = {}) {
      const context = await browser.newContext({ baseURL: url, ...options })
      context.setDefaultTimeout(patienceMs)
      visitor.after(() => context.close())
      return context.newPage()
    },
    leads: () => readStored(join(dataDir, 'leads.sqlite')).leads,
  }
}

export async function openForm(page: Page): Promise<Page> {
  await page.goto(contactPath)
  return page
}

export async function fillIn(page: Page, person: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(person)) await field(page, name).fill(text)
}

export const field = (page: Page, name: string): Locator => page.locator(`[name=${name}]`)
export const sendButton = (page: Page): Locator => page.locator('form.lead button')

export function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === element.ownerDocument.activeElement)
}

/** One in a process; the first who opens it closes it. */
export function openBrowser(t: Cleaner): Promise<Browser> {
  return (opened ??= launchBrowser(t))
}

let opened: Promise<Browser> | undefined

async function launchBrowser(t: Cleaner): Promise<Browser> {
  // Without user namespaces, or as root, Chromium's sandbox refuses to start.
  const args = ['--no-sandbox', `--disable-features=${withoutFeatures}`]
  const program = await chosenChromium()
  const browser = await chromium.launch({ ...program, ...ownSignals, args, timeout: patienceMs })
  t.after(() => {
    opened = undefined
    return browser.close()
  })
  return browser
}

/** Playwright's own handlers would keep the process alive after a signal. */
const ownSignals = { handleSIGHUP: false, handleSIGINT: false, handleSIGTERM: false }

/**
 * The first two load a page each for the address bar of every window, which took half of the CPU time
 * of a new context. The others are what Playwright disables: our switch takes the place of its own.
 */
const withoutFeatures =
  'WebUIOmniboxPopup,WebUIOmniboxAimPopup,AimEnabled,AvoidCorsURLLoaderRestartOnRedirect,' +
  'AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,' +
  'HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,NetworkTimeServiceQuerying,' +
  'OptimizationHints,PaintHolding,PreconnectToSearch,ThirdPartyStoragePartitioning'

type Program = { executablePath: string; env?: NodeJS.ProcessEnv }

async function chosenChromium(): Promise<Program> {
  const path = process.env['CHROMIUM_PATH']
  if (path) return { executablePath: path }
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { executablePath: installedChromium(usualFolders()) }
  }
  const folder = await unpackOnce()
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  }
}

function installedChromium(folders: string[]): string {
  const found = folders
    .flatMap((folder) => programNames.map((name) => join(folder, name)))
    .find((path) => existsSync(path))
  if (found !== undefined) return found
  throw new Error(
    'The browser tests need Chromium or Chrome: install one (on Debian: apt-get install chromium), or set CHROMIUM_PATH to its program.',
  )
}

const programNames = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'Chromium',
  'Google Chrome',
]

/** The folders on PATH, and where macOS keeps its applications. */
function usualFolders(): string[] {
  return [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/Applications/Chromium.app/Contents/MacOS',
    '/Applications/Google Chrome.app/Contents/MacOS',
  ]
}

/** Safe in two processes at once: each unpacks into its own folder, and the first rename wins. */
async function unpackOnce(): Promise<string> {
  const folder = join(cacheFolder, `chromium-${packedVersion()}`)
  if (existsSync(folder)) return folder
  mkdirSync(cacheFolder, { recursive: true })
  const making = mkdtempSync(`${folder}-`)
  try {
    // Other users may run it too.
    chmodSync(await unpackInto(making), 0o755)
    chmodSync(making, 0o755)
    writeFileSync(join(making, 'fonts.conf'), fontsConf(folder))
    renameSync(making, folder)
  } catch (error) {
    rmSync(making, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
  return folder
}

const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

function packedVersion(): string {
  const manifest = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'))
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}

/**
 * The package unpacks into the temporary folder, and adds its libraries only when it believes it runs
 * in AWS Lambda. It reads both variables before its first await, so they are restored at once.
 */
function unpackInto(folder: string): Promise<string> {
  const { TMPDIR, AWS_EXECUTION_ENV } = process.env
  setVariables({ TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' })
  const unpacking = packed.executablePath()
  setVariables({ TMPDIR, AWS_EXECUTION_ENV })
  return unpacking
}

function setVariables(variables: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}

/** The fonts of the system, then those of the package. */
function fontsConf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>/usr/share/fonts</dir>
  <dir>${folder}/fonts/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`
}
