/**
 * The site in a real browser. The browser ends with the tests that opened it, and also when their
 * process is killed: Chromium quits when the pipe to it closes.
 */
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import type { Locator, Page } from 'playwright-core'
import { contactPath } from '../../src/contract/routes.ts'
import type { Lead } from '../../src/store/rows.ts'
import { chosenChromium } from './chromium.ts'
import type { Cleaner } from './cleaner.ts'
import { holdSocket } from './held-socket.ts'
import { patienceMs } from './patience.ts'
import { startServiceProcess, temporaryFolder } from './service.ts'
import { readStored } from './stored.ts'

export type Site = {
  url: string
  dataDir: string
  /** A fresh browser context, without cookies. Paths are relative to the site. */
  visit(t: Cleaner, options?: BrowserContextOptions): Promise<Page>
  /** The leads in the database now. */
  leads(): Lead[]
}

/** The service in its own process, with its real address as BASE_URL, and a browser. */
export async function openSite(
  t: Cleaner,
  flags: string[] = [],
  { host = '127.0.0.1', settings = {} }: { host?: string; settings?: Record<string, string> } = {},
): Promise<Site> {
  const dataDir = temporaryFolder(t)
  const { fd, port } = holdSocket(t)
  const url = `http://${host}:${port}`
  const env = { BASE_URL: url, LISTEN_FD: '3', ...settings }
  const service = await startServiceProcess({ dataDir, env, stdio: ['ignore', 'pipe', 'pipe', fd] })
  t.after(async () => void (await service.stop('SIGKILL')))
  const browser = await openBrowser(t, flags)
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

export async function openBrowser(t: Cleaner, flags: string[] = []): Promise<Browser> {
  // Without user namespaces, or as root, Chromium's sandbox refuses to start.
  const args = ['--no-sandbox', ...flags]
  const program = await chosenChromium()
  const browser = await chromium.launch({ ...program, ...ownSignals, args, timeout: patienceMs })
  t.after(() => browser.close())
  return browser
}

/** Playwright's own handlers would keep the process alive after a signal. */
const ownSignals = { handleSIGHUP: false, handleSIGINT: false, handleSIGTERM: false }
