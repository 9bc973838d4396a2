/** What the pictures of the documents show: the pages behind them, without what differs each time. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { actPath, leadPath, paths } from '../../src/doors/inbox/paths.ts'
import type { Cleaner } from './cleaner.ts'
import { readBlocks } from './doc-blocks.ts'
import { openInbox, sam } from './inbox.ts'
import type { TestBrowser } from './inbox.ts'
import { robin } from './people.ts'
import { openMailSink, parseLetter } from './smtp.ts'
import { until } from './until.ts'

/** Written by `npm run pictures`. */
export const recordFile = 'docs/pictures/pictures.json'

/** By the path of a picture: a hash of all that it shows. */
export async function readPictureSources(t: Cleaner): Promise<Record<string, string>> {
  const pages = await readPages(t)
  const shown: Record<string, string[]> = {
    'docs/pictures/contact.png': [pages.contact],
    'docs/pictures/mail.png': [pages.mail],
    'docs/pictures/inbox-list.png': [pages.list],
    'docs/pictures/inbox-lead.png': [pages.lead],
    'docs/pictures/inbox-desk.png': [pages.lead],
    'docs/pictures/own-colours.png': [
      pages.home,
      ...readBlocks('docs/content.md').map(({ text }) => text),
    ],
    'docs/pictures/arrives.webp': [
      pages.contact,
      pages.thanks,
      pages.empty,
      pages.list,
      pages.lead,
    ],
    'docs/pictures/undo.webp': [pages.list, pages.lead, pages.contacted, pages.undone],
    'public/share.png': [file('site.css'), file('drawings/deck.svg')],
    'public/apple-touch-icon.png': [file('site.css'), file('favicon.svg')],
    'public/favicon.ico': [file('favicon.svg')],
  }
  return Object.fromEntries(
    Object.entries(shown).map(([picture, texts]) => [picture, hash('sha256', texts.join('\n'))]),
  )
}

function file(name: string): string {
  return readFileSync(`public/${name}`, 'utf8')
}

async function readPages(t: Cleaner) {
  const mail = await openMailSink(t)
  const inbox = await openInbox(t, mail)
  const { browser } = await inbox.member(sam)
  const empty = await read(browser, paths.list)
  const home = await read(browser, '/')
  const contact = await read(browser, '/contact/')
  const sent = await browser.post('/api/lead', robin, {
    accept: 'text/html',
    'content-type': 'application/x-www-form-urlencoded',
  })
  const thanks = await read(browser, sent.headers['location']!)
  const list = await read(browser, paths.list)
  const [, id = ''] = /href="\/inbox\/lead\/([0-9a-f-]{36})/.exec(
    (await browser.get(paths.list)).text,
  )!
  const lead = await read(browser, leadPath(id))
  const act = async (name: 'move' | 'undo', fields: Record<string, string>) => {
    const head = (await inbox.store.findLead(id))!.eventHead
    const { status } = await browser.post(actPath(id, name), { ...fields, head })
    if (status !== 303) throw new Error(`${name} answered ${status}`)
    return read(browser, leadPath(id))
  }
  const contacted = await act('move', { to: 'contacted' })
  const undone = await act('undo', {})
  await inbox.settle()
  await until(() => mail.letters.length > 0, 'the owner has mail')
  const { html = '' } = await parseLetter(mail.letters[0]!)
  return { home, contact, thanks, empty, list, lead, contacted, undone, mail: withoutChance(html) }
}

/** With the style sheet that it names. */
async function read(browser: TestBrowser, path: string): Promise<string> {
  const { text } = await browser.get(path, { accept: 'text/html' })
  const [, sheet] = /<link rel="stylesheet" href="([^"]+)"/.exec(text) ?? []
  return withoutChance(text + (sheet === undefined ? '' : (await browser.get(sheet)).text))
}

/** References, ids, nonces and hashes. */
function withoutChance(text: string): string {
  return text
    .replaceAll(/C-[0-9A-Z]{5}-[0-9A-Z]{5}/g, 'C-*')
    .replaceAll(/[\w-]{20,}/g, '*')
    .replaceAll(/inbox\.[\w-]{10}\./g, 'inbox.*.')
}
