import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import * as inPage from './in-page.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** What a browser complains of, breaches of the Content-Security-Policy among it, and what it loads from elsewhere. */
export function listenTo(page: Page, siteUrl: string, troubles: string[] = []): string[] {
  page.on('pageerror', (error) => troubles.push(String(error)))
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    // The page that says "not found" is itself not found, and one with a problem is a bad request.
    if (/status of 40[04]/.test(message.text()) && message.location().url === page.url()) return
    troubles.push(message.text())
  })
  page.on('requestfailed', (request) => {
    // A page that is left takes what it still loads with it.
    if (request.failure()?.errorText === 'net::ERR_ABORTED') return
    troubles.push(`failed: ${request.url()}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${siteUrl}/`)) troubles.push(`elsewhere: ${request.url()}`)
  })
  return troubles
}

export type Misfits = ReturnType<typeof inPage.misfits>

/** What of a page is wider than the screen, breaks in a word, or is smaller than a finger needs or under another. */
export function misfits(page: Page, leastTargetPx = 0): Promise<Misfits> {
  return page.evaluate(inPage.misfits, leastTargetPx)
}

export function phonesOnOneScreen(page: Page): Promise<unknown[]> {
  return page.evaluate(inPage.phonesOnOneScreen)
}

/** Loads axe with each page that opens in this one. To bring it afterwards takes three times as long. */
export async function bringAxe(page: Page): Promise<void> {
  await page.addInitScript(axe)
}

const rules = {
  all: { runOnly: tags },
  /** Where `misfits` looks at the targets: it asks for larger ones, in a tenth of the time. */
  'all but targets': { runOnly: tags, rules: { 'target-size': { enabled: false } } },
  /** In other colours nothing else can differ. */
  contrast: { runOnly: ['color-contrast'] },
}

export async function violations(page: Page, which: keyof typeof rules = 'all'): Promise<string[]> {
  // `preload` reads all style sheets and sounds again, for rules about pages that are turned and about sounds.
  const options = JSON.stringify({ ...rules[which], resultTypes: ['violations'], preload: false })
  // What axe says of the rules that were kept is long, and nobody reads it.
  const run = `window.axe?.run(${options}).then(({ violations }) => violations)`
  const ask = () => page.evaluate<AxeResults['violations'] | undefined>(run)
  let found = await ask()
  if (found === undefined) {
    await page.evaluate(axe)
    found = await ask()
  }
  return found!.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary.split('\n')[1]}`),
  )
}
