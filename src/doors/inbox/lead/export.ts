/** /inbox/export: the requests of a tab as a file; /inbox/lead/<id>/export: those of one person. */
import {
  pagesOfPerson,
  pagesOfView,
  pagesWhile,
  recordExport,
  writeLeads,
  type ExportOf,
} from '../../../desk/export.ts'
import {
  countViews,
  isViewName,
  toCountText,
  viewNames,
  views,
  type ViewName,
} from '../../../desk/views.ts'
import { readWholeLead, type WholeLead } from '../../../desk/whole-lead.ts'
import { html, type Html } from '../../../html.ts'
import { type Answer, type Ask, type StreamSource } from '../../../http/message.ts'
import { keysToTrust } from '../../../lead/person-keys.ts'
import { type Lead } from '../../../store/leads/rows.ts'
import { alertOf, guardedHeaders, logged, showPage } from '../frame/answers.ts'
import { sentFields } from '../frame/forms.ts'
import { type MemberDoor } from '../frame/guard.ts'
import { type Inbox, type Visitor } from '../frame/inbox.ts'
import { said } from '../frame/words.ts'
import { actPath, leadIdIn, leadPath, listPath, paths } from '../paths.ts'
import { whichChoices } from './erase.ts'
import { missingLead } from './page.ts'

export async function showExport(inbox: Inbox, ask: Ask, visit: Visitor): Promise<Answer> {
  const view = new URLSearchParams(ask.query).get('view') ?? ''
  return viewPage(inbox, ask, visit, isViewName(view) ? view : 'all')
}

async function viewPage(
  inbox: Inbox,
  ask: Ask,
  visit: Visitor,
  view: ViewName,
  problem = '',
): Promise<Answer> {
  const counts = await countViews(inbox.desk.store)
  const options = viewNames.map((name) => {
    const chosen = name === view ? html` selected` : ''
    return html`<option value="${name}"${chosen}>${views[name].label} (${toCountText(counts[name])})</option>
`
  })
  const main = html`<p class="back"><a href="${listPath({ view })}">${views[view].label}</a></p>
<h1>Export</h1>
${alertOf(problem)}<p>A file with everything that is known of these requests, your notes too. That you made it is recorded.</p>
<form method="post" action="${paths.export}">
<label for="view">Requests</label>
<select id="view" name="view">
${options}</select>
${formatFields(visit)}</form>
`
  const status = problem === '' ? 200 : 400
  return showPage(inbox, ask, { status, title: 'Export', main, visit })
}

export async function sendExport(inbox: Inbox, ask: Ask, visit: Visitor): Promise<Answer> {
  const { store } = inbox.desk
  const field = sentFields(ask)
  const [view, format] = [field('view'), field('format')]
  if (!isViewName(view)) return viewPage(inbox, ask, visit, 'all', 'Choose which requests.')
  if (!isFileFormat(format)) return viewPage(inbox, ask, visit, view, 'Choose a kind of file.')
  const pages = whileIn(inbox, visit, pagesOfView(store, view))
  const source = () => writeLeads(store, pages, { format })
  return send(inbox, visit, { of: { view }, format, source, name: view })
}

export const showPersonExport = ofPerson((inbox, ask, visit, whole) =>
  personPage(inbox, ask, visit, whole),
)

export const sendPersonExport = ofPerson(async (inbox, ask, visit, whole) => {
  const { store } = inbox.desk
  const field = sentFields(ask)
  const format = field('format')
  if (!isFileFormat(format)) return personPage(inbox, ask, visit, whole, 'Choose a kind of file.')
  const alsoPhone = field('which') === 'person'
  const keys = keysToTrust(whole.personKeys, alsoPhone)
  const pages = whileIn(inbox, visit, pagesOfPerson(store, keys))
  const source = () => writeLeads(store, pages, { format, withEvents: format === 'json' })
  const of = { personOf: whole.lead.id, ...(alsoPhone && { alsoPhone }) }
  return send(inbox, visit, { of, format, source, name: 'one-person' })
})

function ofPerson(
  door: (inbox: Inbox, ask: Ask, visit: Visitor, whole: WholeLead) => Promise<Answer>,
): MemberDoor {
  return async (inbox, ask, visit) => {
    const whole = await readWholeLead(inbox.desk, leadIdIn(ask.path))
    const isThere = whole !== undefined && whole.lead.state !== 'erased'
    return isThere ? door(inbox, ask, visit, whole) : missingLead(inbox, ask, visit)
  }
}

function personPage(
  inbox: Inbox,
  ask: Ask,
  visit: Visitor,
  whole: WholeLead,
  problem = '',
): Promise<Answer> {
  const { lead } = whole
  const main = html`<p class="back"><a href="${leadPath(lead.id)}">${said(lead.values.name)}</a></p>
<h1>Export one person</h1>
${alertOf(problem)}<p>A file with the requests of ${said(lead.values.name)}, with your notes and, in JSON, the history of each. That you made it is recorded.</p>
<form method="post" action="${actPath(lead.id, 'export')}">
<fieldset>
<legend>Requests</legend>
${whichChoices(whole, 'email', visit.typed?.('which'))}</fieldset>
${formatFields(visit)}</form>
`
  const status = problem === '' ? 200 : 400
  return showPage(inbox, ask, { status, title: 'Export', main, visit })
}

const fileFormats = {
  csv: { label: 'CSV, for a spreadsheet', type: 'text/csv; charset=utf-8; header=present' },
  json: { label: 'JSON, for a program', type: 'application/json' },
} as const

type FileFormat = keyof typeof fileFormats

function isFileFormat(text: string): text is FileFormat {
  return Object.hasOwn(fileFormats, text)
}

/** The kinds of file to choose from, and the button. */
function formatFields({ typed }: Visitor): Html {
  const chosen = typed?.('format') || 'csv'
  const choices = Object.entries(fileFormats).map(
    ([format, { label }]) =>
      html`<label class="choice"><input type="radio" name="format" value="${format}" required${format === chosen ? html` checked` : ''}> ${label}</label>
`,
  )
  return html`<fieldset>
<legend>File</legend>
${choices}</fieldset>
<button type="submit" class="wide">Save the file</button>
`
}

/** Whoever is signed out, or no member any more, gets no further page. */
function whileIn(
  { access }: Inbox,
  visit: Visitor,
  pages: AsyncIterable<Lead[]>,
): AsyncIterable<Lead[]> {
  return pagesWhile(pages, () => access.sessions.isOpen(visit))
}

type Sending = { of: ExportOf; format: FileFormat; source: StreamSource; name: string }

/** Recorded before the first byte leaves. The file's name names nobody: it stays in lists of downloads. */
async function send(
  { desk, timeZone, now }: Inbox,
  { member }: Visitor,
  { of, format, source, name }: Sending,
): Promise<Answer> {
  await recordExport(desk.store, { of, format, by: member.id, at: now() })
  const day = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone }).format(now())
  const file: Answer = {
    status: 200,
    headers: [
      'Content-Type',
      fileFormats[format].type,
      'Content-Disposition',
      `attachment; filename="requests-${name}-${day}.${format}"`,
      'Cache-Control',
      'no-store',
      ...guardedHeaders,
    ],
    body: format === 'csv' ? withMark(source) : source,
  }
  return logged(file, `export of ${name} as ${format}`, member.id)
}

/** Without the mark, Excel reads a file of UTF-8 as something else. */
function withMark(source: StreamSource): StreamSource {
  return async function* (ended) {
    yield '\ufeff'
    yield* source(ended)
  }
}
