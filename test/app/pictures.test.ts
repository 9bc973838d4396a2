import assert from 'node:assert/strict'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { readSite } from '../../src/discovery/documents.ts'
import { imageSizeOf } from '../../src/site/image-size.ts'
import { openTestApp } from '../support/app.ts'
import { pngOf } from '../support/work.ts'
import { temporaryFolder } from '../support/service.ts'

const baseUrl = 'https://decks.example.com'

test('a shared link shows a picture of the site, and the icons that browsers ask for are there', async (t) => {
  const app = openTestApp(t)
  const { text } = await app.ask('GET', '/', { headers: { accept: 'text/html' } })
  const [, address] = /<meta property="og:image" content="([^"]+)">/.exec(text) ?? []
  assert.equal(address, `${baseUrl}/share.png`)
  for (const [path, type] of [
    ['/share.png', 'image/png'],
    ['/apple-touch-icon.png', 'image/png'],
    ['/favicon.ico', 'image/x-icon'],
  ] as const) {
    const { status, headers } = await app.ask('GET', path)
    assert.deepEqual([status, headers['content-type']], [200, type])
  }
  const site = readSite('content', baseUrl)
  const files = new Map(site.files.map(({ path, body }) => [path, body]))
  assert.deepEqual(imageSizeOf(files.get('/share.png')!), { width: 1200, height: 630 })
  assert.deepEqual(imageSizeOf(files.get('/apple-touch-icon.png')!), { width: 180, height: 180 })
  assert.equal(files.get('/favicon.ico')!.readUInt16LE(2), 1)
})

test('a file in content/public/ takes the place of the one with its path', async (t) => {
  const contentDir = temporaryFolder(t)
  cpSync('content', contentDir, { recursive: true })
  mkdirSync(join(contentDir, 'public'))
  writeFileSync(join(contentDir, 'public/share.png'), pngOf(40, 21))
  const app = openTestApp(t, { site: readSite(contentDir, baseUrl) })
  const { text } = await app.ask('GET', '/decks/', { headers: { accept: 'text/html' } })
  assert.match(text, /<meta property="og:image:width" content="40">/)
  const { headers } = await app.ask('GET', '/share.png')
  const ours = await openTestApp(t).ask('GET', '/share.png')
  assert.notEqual(headers['etag'], ours.headers['etag'])
})
