/** A film of screens: phones side by side, and a finger. Only what changed is stored for each frame. */
import type { Browser, Page } from 'playwright-core'
import { toMovingWebp, type Frame } from './webp.ts'

/** What is on a phone now, and where a finger touches it. */
export type Phone = { name: string; page: Page; finger?: { x: number; y: number } | undefined }

export type Film = {
  /** Shows the phones as they are, for so long. */
  show(ms: number): Promise<void>
  end(): Buffer
}

type Change = { x: number; y: number; width: number; height: number; webp: string }

/** Of a phone, in pixels of the page. */
export const screen = { width: 344, height: 640 }

const edge = 20
const heading = 44

export async function openFilm(browser: Browser, phones: readonly Phone[]): Promise<Film> {
  const width = phones.length * (screen.width + edge) + edge
  const height = heading + screen.height + edge
  const stage = await browser.newPage({ viewport: { width, height } })
  const cutter = await browser.newPage()
  await cutter.setContent(`<canvas width="${width}" height="${height}"></canvas>`)
  const frames: Frame[] = []

  return {
    async show(ms) {
      const screens = await Promise.all(
        phones.map(async ({ name, page, finger }) => {
          const png = await page.screenshot({ animations: 'disabled', caret: 'hide' })
          return phoneHtml(name, png.toString('base64'), finger)
        }),
      )
      await stage.setContent(`${style}${screens.join('')}`)
      await stage
        .locator('img')
        .evaluateAll((images) =>
          Promise.all(
            images.map((image) => (image as unknown as { decode(): Promise<void> }).decode()),
          ),
        )
      const shot = (await stage.screenshot()).toString('base64')
      const change = (await cutter.evaluate(`(${cut})('${shot}')`)) as Change | undefined
      if (change === undefined) frames.at(-1)!.ms += ms
      else frames.push({ ...change, webp: Buffer.from(change.webp, 'base64'), ms })
    },
    end: () => toMovingWebp(width, height, frames),
  }
}

const style = `<style>
body{margin:0;display:flex;gap:${edge}px;padding:0 ${edge}px;background:#fffdf9;color:#655445;
font:600 17px Seravek,'Segoe UI',Ubuntu,'Noto Sans',sans-serif}
h2{margin:0;height:${heading}px;line-height:${heading}px;font-size:17px;text-align:center}
div{position:relative;width:${screen.width}px;height:${screen.height}px;
border-radius:18px;overflow:hidden;box-shadow:0 0 0 3px #2b2119}
img{display:block}
i{position:absolute;width:44px;height:44px;margin:-22px;border-radius:50%;
background:#2b211955;box-shadow:0 0 0 3px #fffdf9aa}
</style>`

function phoneHtml(name: string, png: string, finger: Phone['finger']): string {
  const touch = finger === undefined ? '' : `<i style="left:${finger.x}px;top:${finger.y}px"></i>`
  return `<section><h2>${name}</h2><div><img src="data:image/png;base64,${png}">${touch}</div></section>`
}

/**
 * Runs in the browser: the rectangle in which a picture differs from the one before, as lossless WebP.
 * Corners are even, as the format wants.
 */
const cut = String.raw`async (png) => {
  const bytes = Uint8Array.from(atob(png), (one) => one.charCodeAt(0))
  const bitmap = await createImageBitmap(new Blob([bytes]))
  const canvas = document.querySelector('canvas')
  const { width, height } = canvas
  const context = canvas.getContext('2d', { willReadFrequently: true })
  const read = () => new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)
  const before = read()
  context.drawImage(bitmap, 0, 0)
  const now = read()
  let [left, top, right, bottom] = [width, height, -1, -1]
  for (let at = 0; at < now.length; at += 1) {
    if (now[at] === before[at]) continue
    const [x, y] = [at % width, Math.floor(at / width)]
    if (x < left) left = x
    if (x > right) right = x
    if (y < top) top = y
    if (y > bottom) bottom = y
  }
  if (right < 0) return undefined
  left -= left % 2
  top -= top % 2
  const size = { width: right - left + 1, height: bottom - top + 1 }
  const part = Object.assign(document.createElement('canvas'), size)
  part.getContext('2d').drawImage(bitmap, -left, -top)
  return { x: left, y: top, ...size, webp: part.toDataURL('image/webp', 1).split(',')[1] }
}`
