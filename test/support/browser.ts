/**
 * A real browser by npm alone, unpacked once; the variable CHROMIUM_PATH names another one. It ends
 * with the tests that opened it, and with their process however that ends: Chromium leaves when the
 * pipe to it closes.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packed from '@sparticuz/chromium'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions, LaunchOptions } from 'playwright-core'
import type { Locator, Page } from 'playwright-core'
import { contactPath } from '../../src/contract/routes.ts'
import type { Lead } from '../../src/store/rows.ts'
import { holdSocket } from './held-socket.ts'
import { startServiceProcess, temporaryFolder } from './service.ts'
import { readStored } from './stored.ts'

/** A test, or for all tests of a file `{ after }` of node:test. */
type Cleaner = { after(callback: () => void | Promise<void>): void }

export type Site = {
  url: string
  /** A browser of somebody's own: no cookies, nothing remembered. Paths are those of the site. */
  visit(t: Cleaner, options?: BrowserContextOptions): Promise<Page>
  /** What the database holds at this moment. */
  leads(): Lead[]
}

/** The service in a process of its own, under its true address, and a browser to visit it with. */
export async function openSite(t: Cleaner, flags: string[] = []): Promise<Site> {
  const dataDir = temporaryFolder(t)
  const { fd, port } = holdSocket(t)
  const url = `http://127.0.0.1:${port}`
  const env = { BASE_URL: url, LISTEN_FD: '3' }
  const service = await startServiceProcess({ dataDir, env, stdio: ['ignore', 'pipe', 'pipe', fd] })
  t.after(async () => void (await service.stop('SIGKILL')))
  const browser = await openBrowser(t, flags)
  return {
    url,
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

/** Long for a page on this machine, short for somebody who waits to hear what failed. */
const patienceMs = 10_000

export async function openBrowser(t: Cleaner, flags: string[] = []): Promise<Browser> {
  // Without user namespaces, or as root, Chromium's sandbox refuses to start.
  const args = ['--no-sandbox', ...flags]
  const browser = await chromium.launch({ ...(await chosenProgram()), ...ownSignals, args })
  t.after(() => browser.close())
  return browser
}

/** Playwright's handlers would keep a process alive that was told to end. */
const ownSignals = { handleSIGHUP: false, handleSIGINT: false, handleSIGTERM: false }

async function chosenProgram(): Promise<LaunchOptions> {
  const path = process.env['CHROMIUM_PATH']
  if (path) return { executablePath: path }
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

/** Two processes may come here at once: each unpacks for itself, and the first to rename is kept. */
async function unpackOnce(): Promise<string> {
  const folder = join(cacheFolder, `chromium-${packedVersion()}`)
  if (existsSync(folder)) return folder
  mkdirSync(cacheFolder, { recursive: true })
  const making = mkdtempSync(`${folder}-`)
  try {
    // Others than the one who unpacks it may run it.
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
 * The package unpacks into the temporary folder, and brings its libraries only where it believes
 * itself in a cloud function. It reads both variables before it first waits, so they are put back
 * at once.
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

/** The system's fonts where it has any, and below them those of the package. */
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
