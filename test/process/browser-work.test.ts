/** The page of finished work in a real browser: nothing jumps, and it is valid. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { openOwnSite } from '../support/browser.ts'
import { contentWithWork } from '../support/work.ts'

const site = await openOwnSite(
  { after },
  {
    settings: { CONTENT_DIR: contentWithWork({ after }) },
  },
)

test('photos have their place before they are loaded', async (t) => {
  const page = await site.visit(t, { viewport: { width: 390, height: 844 } })
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
  // What comes late finds its place already there.
  await page.route('**/photos/*', (route) => route.abort())
  await page.goto('/work/')
  const before = await boxes()
  await page.unroute('**/photos/*')
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  await page.waitForLoadState('networkidle')
  assert.deepEqual(await boxes(), before)
  assert.ok(loaded.includes('/photos/tree.png'), loaded.join(' '))

  function boxes(): Promise<number[]> {
    return page
      .locator('main img')
      .evaluateAll((images) =>
        images.map((image) => image.getBoundingClientRect().height as number),
      )
  }
})
