import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { readSite } from '../../src/discovery/documents.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import type { Cleaner } from '../support/service.ts'
import { contentWithWork, jpegHeadOf, pngOf } from '../support/work.ts'

const baseUrl = 'https://decks.example.com'

test('without finished work there is no page for it, and nothing is missed', async (t) => {
  const app = appWith(t, contentWithWork(t, '# Nothing yet'))
  assert.equal((await page(app, '/work/')).status, 404)
  const home = await page(app, '/')
  const body = home.text.slice(home.text.indexOf('<body'))
  assert.doesNotMatch(body, /\/work\//)
  assert.doesNotMatch((await app.ask('GET', '/sitemap.xml')).text, /\/work\//)
})

test('with finished work, a page shows it with captions and sizes', async (t) => {
  const app = appWith(t, contentWithWork(t))
  const { status, text } = await page(app, '/work/')
  assert.equal(status, 200)
  assert.match(
    text,
    /<h2 id="a-deck-around-a-tree">A deck around a tree<\/h2>\n<p>Bangalow, autumn 2026<\/p>\n<p>The tree stayed &amp; the deck/,
  )
  const [tree, lawn] = [...text.matchAll(/<img src="\/photos[^>]*>/g)].map(([tag]) => tag)
  assert.match(tree!, /alt="A round hole in a deck, with a tree in it" width="1600" height="1000"/)
  assert.match(lawn!, /src="\/photos\/tree-2\.png"[^>]* width="900" height="600" loading/)
  assert.match(
    text,
    /<div class="photos">\n<figure[^>]*><img [^>]*><figcaption>Room to grow<\/figcaption><\/figure>\n<figure/,
  )
  assert.match(
    text,
    /<blockquote>\n<p>He swept up every evening\.<\/p>\n<p>Robin, Lismore<\/p>\n<\/blockquote>/,
  )
  const photo = await app.ask('GET', '/photos/tree.png')
  assert.deepEqual([photo.status, photo.headers['content-type']], [200, 'image/png'])
})

test('it is in the navigation, the sitemap, the twin, and on the home page; the portrait is on About', async (t) => {
  const app = appWith(t, contentWithWork(t))
  const home = await page(app, '/')
  assert.match(home.text, /<li><a href="\/work\/">Work<\/a><\/li>/)
  assert.match(home.text, /<a href="\/work\/#a-deck-around-a-tree"><img src="\/photos\/tree\.png"/)
  assert.match(home.text, /<h3>Finished lately<\/h3>/)
  const homeTwin = (await app.ask('GET', '/index.md')).text
  assert.ok(
    homeTwin.includes(`- [A deck around a tree](${baseUrl}/work.md): Bangalow, autumn 2026`),
  )
  assert.match((await app.ask('GET', '/sitemap.xml')).text, /\/work\/</)
  const twin = (await app.ask('GET', '/work.md')).text
  assert.ok(twin.includes(`![The same deck from the lawn](${baseUrl}/photos/tree-2.png)`))
  assert.ok(twin.includes('> He swept up every evening.\n>\n> Robin, Lismore'))
  const about = await page(app, '/about/')
  assert.match(
    about.text,
    /<figure class="drawing"><img src="\/photos\/sam\.png" alt="Sam with a level in his hand" width="600" height="800"><\/figure>/,
  )
})

test("a client's words stand on the home page, and nothing stands there without them", async (t) => {
  const said = '<p>He swept up every evening.</p>\n<p>Robin, Lismore</p>\n</blockquote>'
  const app = appWith(t, contentWithWork(t))
  const home = await page(app, '/')
  assert.ok(home.text.includes(said))
  assert.ok((await app.ask('GET', '/index.md')).text.includes('> He swept up every evening.'))
  const silent = appWith(t, contentWithWork(t, '# Nothing yet'))
  assert.doesNotMatch((await page(silent, '/')).text, /blockquote>|In their words/)
  // The example has such words, and says that they are invented.
  assert.match((await page(openTestApp(t), '/')).text, /<p>[^<]+\(an example\), [^<]+<\/p>\n<\/bl/)
})

test('the page for a missing address lists the pages of the menu, Work only where there is some', async (t) => {
  const listed = async (app: TestApp) => {
    const { status, text } = await page(app, '/no-such-page/')
    assert.equal(status, 404)
    const main = text.slice(text.indexOf('<main'), text.indexOf('</main>'))
    return [...main.matchAll(/<li><a href="(\/[^"]*)">/g)].map(([, path]) => path!)
  }
  const paths = await listed(openTestApp(t))
  for (const path of ['/', '/decks/', '/pergolas/', '/work/', '/areas/', '/contact/']) {
    assert.ok(paths.includes(path), path)
  }
  const without = await listed(appWith(t, contentWithWork(t, '# Nothing yet')))
  assert.deepEqual(
    without,
    paths.filter((path) => path !== '/work/'),
  )
  const twin = (await openTestApp(t).ask('GET', '/404.md')).text
  assert.ok(twin.includes('- [Work](https://decks.example.com/work.md): '))
})

test('a picture that is not there stops the start, with its line', async (t) => {
  const contentDir = contentWithWork(t, '\nportrait:\n  photo: nobody.jpg\n')
  assert.throws(
    () => readSite(contentDir, baseUrl),
    /work\.yaml:3: portrait, photo names nobody\.jpg, but there is no such picture in photos\/$/,
  )
})

test('a picture whose name has a space stops the start: its address would lead nowhere', async (t) => {
  const contentDir = contentWithWork(t, 'portrait:\n  photo: my face.jpg\n')
  assert.throws(
    () => readSite(contentDir, baseUrl),
    /work\.yaml:2: portrait, photo must be the name of a file without spaces/,
  )
})

test('heavy, untitled and telltale pictures are warned of, each with what to do', async (t) => {
  const contentDir = contentWithWork(t, 'portrait:\n  photo: sam.png\n')
  const put = (name: string, bytes: Buffer) =>
    writeFileSync(join(contentDir, 'photos', name), bytes)
  put('heavy.png', Buffer.concat([pngOf(900, 600)], 500_000))
  put('home.JPG', jpegHeadOf(1_000, 800, { hasPlace: true }))
  put('phone.heic', Buffer.from('heic'))
  put('broken.jpg', Buffer.from('not a picture'))
  const { warnings } = readSite(contentDir, baseUrl)
  assert.deepEqual(warnings, [
    'work.yaml: sam.png has no alt: say in a sentence what the picture shows',
    'photos/broken.jpg cannot be read as a picture: save it again',
    'photos/heavy.png is heavy (500 kB): save it with 400 kB or less',
    'photos/home.JPG shows where it was taken: save it without its location',
    'photos/phone.heic is a kind of file that browsers do not show: save it as JPEG or WebP',
  ])
})

test('the example shows three drawn jobs and the portrait of the owner', async (t) => {
  const app = openTestApp(t)
  const { text } = await page(app, '/work/')
  const drawings = [...text.matchAll(/<img src="(\/drawings\/[^"]+)" alt="A drawing [^>]*>/g)]
  assert.deepEqual(
    drawings.map(([, path]) => path),
    [
      '/drawings/deck-with-steps.svg',
      '/drawings/vine-pergola.svg',
      '/drawings/screen-and-seat.svg',
    ],
  )
  assert.match((await page(app, '/about/')).text, /<img src="\/drawings\/sam\.svg" alt="A drawing/)
})

test('a photo replaces the drawing of its name on every page and in its twin', async (t) => {
  const contentDir = contentWithWork(t, readFileSync('content/work.yaml', 'utf8'))
  const photo = join(contentDir, 'photos/vine-pergola.png')
  writeFileSync(photo, pngOf(900, 600))
  const app = appWith(t, contentDir)
  for (const path of ['/', '/work/', '/pergolas/']) {
    const { text } = await page(app, path)
    assert.match(text, /<img src="\/photos\/vine-pergola\.png" alt="[^"]+" width="900"/, path)
    assert.doesNotMatch(text, /drawings\/vine-pergola/, path)
  }
  // The same for Sam, whose photo is in the folder from the start.
  assert.match((await page(app, '/about/')).text, /<img src="\/photos\/sam\.png"/)
  for (const twin of ['/work.md', '/pergolas.md']) {
    assert.ok((await app.ask('GET', twin)).text.includes(`](${baseUrl}/photos/vine-pergola.png)`))
  }
})

test('registrations and insurance are shown on About and at the foot where they are set, and a wrong ABN stops the start', async (t) => {
  const foot = (text: string) => text.slice(text.indexOf('<footer'))
  const contentDir = contentWithWork(t)
  const file = join(contentDir, 'business.yaml')
  const business = readFileSync(file, 'utf8').replaceAll(
    /^(?:since|insurance): .*$|^registrations:\n(?: .*\n)*/gm,
    '',
  )
  writeFileSync(file, business)
  assert.doesNotMatch(foot((await page(appWith(t, contentDir), '/')).text), /ABN|since/)
  writeFileSync(
    file,
    `${business}\nabn: '51 824 753 556'\ninsurance: Public liability with Example Mutual\n`,
  )
  const app = appWith(t, contentDir)
  const { text } = await page(app, '/decks/')
  assert.match(foot(text), /ABN 51 824 753 556[\s\S]*Public liability with Example Mutual/)
  assert.match(text, /"taxID":"ABN 51 824 753 556"/)
  assert.match(
    (await app.ask('GET', '/about.md')).text,
    /^- ABN 51 824 753 556\n- Public liability/m,
  )
  const link = 'https://register.example.com/123456'
  writeFileSync(
    file,
    `${business}\nregistrations:\n  - {label: VAT, number: GB 0}\n  - {label: Gas Safe, number: '123456', link: '${link}'}\n`,
  )
  const other = await page(appWith(t, contentDir), '/decks/')
  assert.match(
    foot(other.text),
    new RegExp(`VAT GB 0<br>[^]*<a href="${link}">Gas Safe 123456</a>`),
  )
  assert.match(other.text, /"identifier":\[{"@type":"PropertyValue","name":"VAT","value":"GB 0"}/)
  writeFileSync(file, `${business}\nabn: '51 824 753 55'\n`)
  assert.throws(
    () => readSite(contentDir, baseUrl),
    /business\.yaml:\d+: abn must be an ABN of 11 digits, in quotes$/,
  )
})

function appWith(t: Cleaner, contentDir: string): TestApp {
  return openTestApp(t, { site: readSite(contentDir, baseUrl) })
}

function page(app: TestApp, path: string) {
  return app.ask('GET', path, { headers: { accept: 'text/html' } })
}
