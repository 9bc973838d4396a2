/** The picture that tells the road of a request: who asks, the inbox, the receipt. */
import type { Browser } from 'playwright-core'

/** Screens of phones, and what an agent sent and got. */
export type Story = { form: Buffer; call: readonly string[]; inbox: Buffer; receipt: Buffer }

/** As wide as README shows it, at twice the resolution. */
export async function drawStory(browser: Browser, story: Story, width: number): Promise<Buffer> {
  const viewport = { width, height: 400 }
  const page = await browser.newPage({ viewport, deviceScaleFactor: 2, colorScheme: 'light' })
  await page.setContent(storyHtml(story))
  const png = await page.screenshot({ fullPage: true, omitBackground: true })
  const webp = (await page.evaluate(`(${toWebp})('${toAddress(png)}')`)) as string
  return Buffer.from(webp.split(',')[1]!, 'base64')
}

function storyHtml({ form, call, inbox, receipt }: Story): string {
  return `<!DOCTYPE html>
<html>
<style>${style}</style>
<main>
<section>
<h2><b>1</b>A person asks, or an agent does</h2>
<img class="screen" src="${toAddress(form)}">
<ol class="screen">${call.map((line) => `<li>${line}`).join('')}</ol>
</section>
<svg viewBox="0 0 20 40"><path d="M3 4 17 20 3 36"/></svg>
<section>
<h2><b>2</b>The owner has it in the inbox</h2>
<img class="screen" src="${toAddress(inbox)}">
</section>
<svg viewBox="0 0 20 40"><path d="M3 4 17 20 3 36"/></svg>
<section>
<h2><b>3</b>The receipt shows the visit</h2>
<img class="screen" src="${toAddress(receipt)}">
</section>
</main>
</html>`
}

const style = `
* { box-sizing: border-box }
body { margin: 0; color: #2b2119; font: 600 17px/1.25 'Segoe UI', Ubuntu, 'Noto Sans', sans-serif }
main { display: grid; grid-template-columns: 1fr 16px 1fr 16px 1fr; gap: 12px; padding: 24px 24px 28px;
  border-radius: 16px; background: #f4ead9 }
section { display: flex; flex-direction: column; gap: 14px }
h2 { display: flex; align-items: center; gap: 10px; min-height: 44px; margin: 0; font: inherit; text-wrap: balance }
b { flex: none; display: grid; place-items: center; width: 34px; height: 34px; border-radius: 50%;
  background: #3e5b46; color: #fffdf9 }
.screen { width: 100%; border-radius: 12px; box-shadow: 0 0 0 2px #2b2119 }
ol { flex: 1; display: flex; flex-direction: column; margin: 0; padding: 12px 14px; list-style: none;
  background: #2b2119; color: #f1e8da; font: 10.5px/1.5 'DejaVu Sans Mono', monospace }
li { padding-left: 4ch; text-indent: -4ch; white-space: pre-wrap }
li:first-child, li:last-child { color: #e8ad72; font-weight: bold }
li:last-child { margin-top: auto; color: #a9c5a8 }
img { display: block }
svg { align-self: center; width: 16px; fill: none; stroke: #8a4a1f; stroke-width: 4; stroke-linecap: round;
  stroke-linejoin: round }
@media (max-width: 600px) {
  body { font-size: 19px }
  main { grid-template-columns: 1fr; padding: 20px }
  h2 { min-height: 0 }
  img { object-fit: cover; object-position: top }
  section:nth-of-type(2) img { height: 440px }
  section:nth-of-type(3) img { height: 390px }
  ol { font-size: 13px }
  svg { justify-self: center; rotate: 90deg; height: 32px }
}`

/** Runs in the browser. */
const toWebp = `async (address) => {
  const image = Object.assign(new Image(), { src: address })
  await image.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
  canvas.getContext('2d').drawImage(image, 0, 0)
  return canvas.toDataURL('image/webp', 0.9)
}`

function toAddress(png: Buffer): string {
  return `data:image/png;base64,${png.toString('base64')}`
}
