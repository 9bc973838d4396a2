/**
 * The site in a real browser. The browser ends with the tests that opened it, and also when their
 * process is killed: Chromium quits when the pipe to it closes.
 */
import { join } from 'node:path'
import {
  chromium,
  type Locator,
  type Page,
  type Browser,
  type BrowserContextOptions,
} from 'playwright-core'
import { contactPath } from '../../src/contract/routes.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import { chosenChromium } from './chromium.ts'
import { signInBy } from './operator.ts'
import { patienceMs } from './until.ts'
import { freePort, temporaryFolder, type Cleaner } from './service.ts'
import { startServiceHere } from './service-here.ts'
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

/** With its real address as BASE_URL. */
async function startService(
  t: Cleaner,
  { host = '127.0.0.1', settings = {} }: Own,
): Promise<Place> {
  const dataDir = temporaryFolder(t)
  const port = String(await freePort())
  const url = `http://${host}:${port}`
  const env = { PORT: port, BASE_URL: url, ...settings }
  await startServiceHere(t, { dataDir, env, photos: true })
  return { url, dataDir }
}

export function visited({ url, dataDir }: Place, browser: Browser): Site {
  return {
    url,
    dataDir,
    async visit(caller, options = {}) {
      const context = await browser.newContext({ baseURL: url, viewport: aDesk, ...options })
      context.setDefaultTimeout(patienceMs)
      caller.after(() => context.close())
      return context.newPage()
    },
    leads: () => readStored(join(dataDir, 'leads.sqlite')).leads,
  }
}

/** Lower than most, because each pixel is painted by the processor. */
export const aDesk = { width: 1280, height: 480 }

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
  const args = ['--no-sandbox', ...withLittleWork, `--disable-features=${withoutFeatures}`]
  const program = await chosenChromium()
  const browser = await chromium.launch({ ...program, ...ownSignals, args, timeout: patienceMs })
  t.after(() => {
    opened = undefined
    return browser.close()
  })
  return browser
}

/**
 * Graphics have no process of their own: a fifth less CPU. Scripts run for less than a second here and are not
 * optimized: a tenth less CPU on pages that axe checks.
 */
const withLittleWork = [
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-software-rasterizer',
  '--js-flags=--no-opt,--no-maglev',
]

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

/** A session without the pages of signing in, for tests of what comes after. */
export async function bringSession(page: Page, link: string): Promise<void> {
  const [name, value] = (await signInBy(link)).split('=') as [string, string]
  await page.context().addCookies([{ name, value, url: new URL(link).origin }])
}

/** As on a machine without a network, on which the site runs itself. */
export async function takeNetworkAway(page: Page): Promise<void> {
  await page.addInitScript("Object.defineProperty(navigator, 'onLine', { value: false })")
}
