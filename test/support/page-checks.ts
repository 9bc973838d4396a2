import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { ElementHandle, Page } from 'playwright-core'

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

/** A locator brings code of its own into each page, which takes longer than to load the page. */
async function bodyOf(page: Page): Promise<ElementHandle> {
  return (await page.evaluateHandle('document.body')) as ElementHandle
}

export async function sidewaysPx(page: Page): Promise<number> {
  return (await bodyOf(page)).evaluate(({ parentElement: root }) => {
    return root.scrollWidth - root.clientWidth
  })
}

/** Pairs of visible links to the phone that are closer to each other than the screen is high. */
export async function phonesOnOneScreen(page: Page): Promise<string[]> {
  return (await bodyOf(page)).evaluate((body) => {
    const links = [...body.querySelectorAll('a[href^="tel:"]')]
    const shown = links.filter((link) => link.checkVisibility())
    const top = (link: (typeof links)[number]) => link.getBoundingClientRect().top
    return shown
      .slice(1)
      .filter((link, at) => top(link) - top(shown[at]) < link.ownerDocument.defaultView.innerHeight)
      .map((link) => link.parentElement.outerHTML)
  })
}

/** Words of at most 16 letters that begin on one line and end on the next. */
export async function brokenWords(page: Page): Promise<string[]> {
  return (await bodyOf(page)).evaluate((body) => {
    const { ownerDocument: document } = body
    const texts = document.createTreeWalker(body, 4)
    const broken: string[] = []
    while (texts.nextNode()) {
      const { currentNode: node } = texts
      if (!node.parentElement.checkVisibility()) continue
      for (const { index, 0: word } of node.data.matchAll(/(?<![^\s])[a-z]{2,16}(?![^\s.,:;])/gi)) {
        const range = document.createRange()
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        if (lines.size > 1) broken.push(`${word} in ${node.data.trim()}`)
      }
    }
    return broken
  })
}

/** Links within a line of text are as high as their line. */
export async function smallTargets(page: Page, leastPx: number): Promise<string[]> {
  return (await bodyOf(page)).evaluate(
    (body, least) =>
      [...body.querySelectorAll('a, button, input, textarea, summary')]
        .filter((element) => element.checkVisibility())
        .filter((element) => {
          const { display } = element.ownerDocument.defaultView.getComputedStyle(element)
          const isInText = element.parentNode.textContent.trim() !== element.textContent.trim()
          return !(display === 'inline' && isInText)
        })
        // Pressing the label of a box ticks it.
        .map((element) => ({
          element,
          box: (element.matches('label > [type=checkbox], label > [type=radio]')
            ? element.parentElement
            : element
          ).getBoundingClientRect(),
        }))
        .filter(({ box }) => box.width < least || box.height < least)
        .map(({ element, box }) => `${box.width} x ${box.height}: ${element.outerHTML}`),
    leastPx,
  )
}

/** Loads axe with each page that opens in this one. To bring it afterwards takes three times as long. */
export async function bringAxe(page: Page): Promise<void> {
  await page.addInitScript(axe)
}

/** All rules take a second. In other colours the contrast alone can differ. */
export async function violations(page: Page, rules: 'all' | 'contrast' = 'all'): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe)
  const runOnly = rules === 'all' ? tags : ['color-contrast']
  // `preload` reads all style sheets and sounds again, for rules about pages that are turned and about sounds.
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'], preload: false })
  const results = await page.evaluate<AxeResults>(`axe.run(${options})`)
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary.split('\n')[1]}`),
  )
}
