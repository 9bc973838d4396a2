/** A page is light, stands still while it loads, moves only for those who like it, and prints as paper should. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import type { Page } from 'playwright-core'
import { contactPath } from '../../src/contract/routes.ts'
import { openSite } from '../support/browser.ts'
import { until } from '../support/until.ts'

const site = await openSite({ after })
/** By those who sit at a desk, and like it still. */
const desk = await site.visit({ after }, { reducedMotion: 'reduce' })
const phone = { viewport: { width: 390, height: 844 } }
const mostHomeBytes = 40_000

test('the home page is light: everything it loads, headers and all', async (t) => {
  await untilCompressed()
  const page = await site.visit(t, phone)
  const received = await countBytes(page)
  await page.goto('/', { waitUntil: 'networkidle' })
  await scrollThrough(page)
  const total = [...received.values()].reduce((sum, bytes) => sum + bytes, 0)
  t.diagnostic(JSON.stringify({ browser: 'home page', requests: received.size, bytes: total }))
  assert.ok(total < mostHomeBytes, JSON.stringify(Object.fromEntries(received)))
})

for (const path of ['/', contactPath]) {
  test(`nothing on ${path} jumps while it loads or is scrolled`, async (t) => {
    const page = await site.visit(t, phone)
    await page.goto(path, { waitUntil: 'networkidle' })
    await scrollThrough(page)
    assert.deepEqual(await layoutShifts(page), [])
  })

  test(`nothing on ${path} moves for those who like it still`, async () => {
    await desk.goto(path)
    await desk.emulateMedia({ media: 'screen' })
    assert.deepEqual(await movingElements(desk), [])
  })

  test(`${path} prints its words without the ways to elsewhere`, async () => {
    await desk.goto(path)
    await desk.emulateMedia({ media: 'print' })
    assert.equal(await desk.getByRole('navigation').count(), 0, 'the navigation is printed')
    assert.ok(await desk.getByRole('heading', { level: 1 }).isVisible())
    assert.ok(await desk.getByRole('contentinfo').getByRole('link', { name: '@' }).isVisible())
  })
}

test('the contact page prints on one sheet, with the phone and a form to fill in by hand', async () => {
  await desk.goto(contactPath)
  const margin = { top: '1cm', right: '1cm', bottom: '1cm', left: '1cm' }
  const sheet = (await desk.pdf({ format: 'A4', margin })).toString('latin1')
  assert.equal(sheet.match(/\/Type \/Page\b/g)?.length, 1)
  await desk.emulateMedia({ media: 'print' })
  assert.ok(await desk.locator('main a[href^="tel:"]').isVisible())
  assert.ok(await desk.getByLabel('Your name').isVisible())
})

/** In its first moments the service sends pages as they are. */
function untilCompressed(): Promise<void> {
  const isCompressed = async () => (await fetch(site.url)).headers.has('content-encoding')
  return until(isCompressed, 'the home page is compressed')
}

/** By address, as they came over the wire. */
async function countBytes(page: Page): Promise<Map<string, number>> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  const addresses = new Map<string, string>()
  const received = new Map<string, number>()
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) => {
    addresses.set(requestId, request.url)
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    received.set(addresses.get(requestId)!, encodedDataLength)
  })
  return received
}

/** Brings in what is loaded late. */
async function scrollThrough(page: Page): Promise<void> {
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  await page.waitForLoadState('networkidle')
}

/** Each with what moved, and how much by the browser's own measure. */
function layoutShifts(page: Page): Promise<string[]> {
  return page.locator('html').evaluate(async (root) => {
    const { PerformanceObserver, requestAnimationFrame } = root.ownerDocument.defaultView
    const shifts: { value: number; sources: { node: { outerHTML?: string } | null }[] }[] = []
    const observer = new PerformanceObserver((list: { getEntries(): typeof shifts }) =>
      shifts.push(...list.getEntries()),
    )
    observer.observe({ type: 'layout-shift', buffered: true })
    // Entries are handed over after a frame is drawn.
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame)
    return shifts.map(
      ({ value, sources }) =>
        `${value}: ${sources.map(({ node }) => node?.outerHTML?.slice(0, 80)).join(', ')}`,
    )
  })
}

function movingElements(page: Page): Promise<string[]> {
  return page.locator('html, html *').evaluateAll((elements) =>
    elements
      .filter((element) => {
        const style = element.ownerDocument.defaultView.getComputedStyle(element)
        const isStill =
          style.animationName === 'none' &&
          style.transitionDuration === '0s' &&
          style.scrollBehavior === 'auto'
        return !isStill
      })
      .map((element) => element.outerHTML.slice(0, 80)),
  )
}
