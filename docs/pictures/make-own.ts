/** Takes the picture of docs/content.md: the site with the colours and the drawings of its examples. `node docs/pictures/run.ts`. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openBrowser } from '../../test/support/browser.ts'
import { readBlocks } from '../../test/support/doc-checks.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { openPictureSite, pathOf, withCleaner } from './support.ts'

await withCleaner(async (cleaner) => {
  const site = temporaryFolder(cleaner)
  mkdirSync(join(site, 'node_modules'))
  symlinkSync(resolve('.'), join(site, 'node_modules/lead-intake'))
  cpSync('content', join(site, 'content'), { recursive: true })
  const blockOf = (kind: string) =>
    readBlocks('docs/content.md').find((block) => block.kind === kind)!.text
  writeFileSync(join(site, 'content/style.css'), blockOf('css'))
  const drawings = blockOf('sh run').replaceAll(/^npx .*$/gm, '')
  execFileSync('/bin/sh', ['-euc', drawings], { cwd: site })

  const { url } = await openPictureSite(cleaner, { CONTENT_DIR: join(site, 'content') })
  const browser = await openBrowser(cleaner)
  const page = await browser.newPage({ viewport: { width: 1120, height: 640 } })
  await page.goto(url)
  await page.screenshot({ path: pathOf('own-colours.png') })
})
