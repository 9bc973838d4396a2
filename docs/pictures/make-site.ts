/** Makes the pictures of the site from its drawings: the one of shared links, and the icons. `node docs/pictures/run.ts`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../../test/support/browser.ts'
import { withCleaner } from './support.ts'

await withCleaner(async (cleaner) => {
  const browser = await openBrowser(cleaner)
  const style = `${read('base.css').toString()}${read('site.css').toString()}`
  const deck = asAddress(read('drawings/deck.svg'))
  const mark = asAddress(read('favicon.svg'))
  const share = `<style>${style}body{display:grid;grid-template-rows:1fr auto;height:630px}
img{width:880px;margin:auto;translate:0 -12px}
.edge{height:30px;background-size:100% 10px,112px 16px;background-position:0 0,2.5rem 14px}</style>
<img src="${deck}"><div class="edge"></div>`
  write('share.png', await shoot(browser, share, 1200, 630))
  const touch = `<style>${style}img{width:124px;margin:30px 28px}</style><img src="${mark}">`
  write('apple-touch-icon.png', await shoot(browser, touch, 180, 180))
  const icons = []
  for (const size of [16, 32, 48]) {
    const icon = `<style>body{margin:0}img{display:block;width:${size}px}</style><img src="${mark}">`
    icons.push({ size, png: await shoot(browser, icon, size, size) })
  }
  write('favicon.ico', toIco(icons))
})

async function shoot(browser: Browser, html: string, width: number, height: number) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: 'light' })
  await page.setContent(html)
  await page.locator('img').evaluate((image) => image.decode())
  return page.screenshot({ omitBackground: true })
}

/** A directory of 16 bytes for each picture, then the pictures as PNG. */
function toIco(icons: readonly { size: number; png: Buffer }[]): Buffer {
  const head = Buffer.alloc(6 + 16 * icons.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(icons.length, 4)
  let offset = head.length
  for (const [index, { size, png }] of icons.entries()) {
    const at = 6 + 16 * index
    head.writeUInt8(size, at)
    head.writeUInt8(size, at + 1)
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(png.length, at + 8)
    head.writeUInt32LE(offset, at + 12)
    offset += png.length
  }
  return Buffer.concat([head, ...icons.map(({ png }) => png)])
}

function asAddress(svg: Buffer): string {
  return `data:image/svg+xml;base64,${svg.toString('base64')}`
}

function read(name: string): Buffer {
  return readFileSync(pathOf(name))
}

function write(name: string, bytes: Buffer): void {
  writeFileSync(pathOf(name), bytes)
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../../public/${name}`, import.meta.url))
}
