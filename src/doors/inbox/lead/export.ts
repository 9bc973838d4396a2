/** Sends requests as a file: those of a tab, or of one person. */
import { pagesOfPerson, pagesOfView, writeLeads, type Pages } from '../../../desk/export.ts'
import { countViews, isViewName, toCountText, viewNames, views } from '../../../desk/views.ts'
import { html, type Html } from '../../../html.ts'
import { fileAnswer } from '../../../http/answers.ts'
import { type Answer } from '../../../http/message.ts'
import { localTime } from '../../../time.ts'
import { goTo, guarded, logged, showPage } from '../frame/answers.ts'
import { askedFields, sentFields, todayIn, type SignedInCaller } from '../frame/inbox.ts'
import { said } from '../frame/words.ts'
import { actPath, leadPath, listPath, paths } from '../paths.ts'
import { whichChoices } from './erase.ts'
import { withLead } from './page.ts'

export async function showExport(caller: SignedInCaller): Promise<Answer> {
  const asked = askedFields(caller)('view')
  const view = isViewName(asked) ? asked : 'all'
  const counts = await countViews(caller.inbox.store, todayIn(caller.inbox))
  const options = viewNames.map((name) => {
    const chosen = name === view ? html` selected` : ''
    const label = `${views[name].label} (${toCountText(counts[name])})`
    return html`<option value="${name}"${chosen}>${label}</option>
`
  })
  return exportPage(caller, {
    back: html`<a href="${listPath({ view })}">${views[view].label}</a>`,
    title: 'Export',
    what: html`A file with these requests and your notes. JSON has every detail.`,
    action: paths.export,
    choice: html`<label for="view">Requests</label>
<select id="view" name="view">
${options}</select>
`,
  })
}

export async function sendExport(caller: SignedInCaller): Promise<Answer> {
  const { store } = caller.inbox
  const field = sentFields(caller)
  const [view, format] = [field('view'), field('format')]
  if (!isViewName(view) || !isFileFormat(format)) return goTo(paths.export)
  const pages = pagesOfView(store, view, todayIn(caller.inbox))
  return send(caller, { format, pages, name: view })
}

export const sendPersonExport = withLead(async (caller, whole) => {
  const { store } = caller.inbox
  const field = sentFields(caller)
  const format = field('format')
  if (!isFileFormat(format)) return goTo(actPath(whole.lead.id, 'export'))
  const alsoPhone = field('which') === 'person'
  const pages = await pagesOfPerson(store, whole.lead.id, alsoPhone)
  return send(caller, { format, pages, name: 'one-person', withEvents: true })
})

export const showPersonExport = withLead((caller, whole) => {
  const { lead } = whole
  const first = lead.values.email === '' ? 'one' : 'email'
  return exportPage(caller, {
    back: html`<a href="${leadPath(lead.id)}">${said(lead.values.name)}</a>`,
    title: 'Export one person',
    what: html`A file with the requests of ${said(lead.values.name)} and your notes.
JSON also has the history of each.`,
    action: actPath(lead.id, 'export'),
    choice: html`<fieldset>
<legend>Requests</legend>
${whichChoices(whole, first, caller.typed?.('which'))}</fieldset>
`,
  })
})

type ExportPage = { back: Html; title: string; what: Html; action: string; choice: Html }

function exportPage(caller: SignedInCaller, page: ExportPage): Promise<Answer> {
  const { back, title, what, action, choice } = page
  const main = html`<p>${what} The log records that you exported it.</p>
<form method="post" action="${action}">
${choice}${formatFields(caller)}</form>
`
  return showPage(caller, { back, title, main })
}

const fileFormats = {
  csv: { label: 'CSV, for a spreadsheet', type: 'text/csv; charset=utf-8; header=present' },
  json: { label: 'JSON, for a program', type: 'application/json' },
} as const

type FileFormat = keyof typeof fileFormats

function isFileFormat(text: string): text is FileFormat {
  return Object.hasOwn(fileFormats, text)
}

function formatFields({ typed }: SignedInCaller): Html {
  const chosen = typed?.('format') || 'csv'
  const choices = Object.entries(fileFormats).map(
    ([format, { label }]) =>
      html`<label class="choice">
<input type="radio" name="format" value="${format}" required${format === chosen ? html` checked` : ''}>
${label}
</label>
`,
  )
  return html`<fieldset>
<legend>File</legend>
${choices}</fieldset>
<button type="submit" class="wide">Save the file</button>
`
}

type Sending = { format: FileFormat; pages: Pages; name: string; withEvents?: boolean }

/** Browsers list the names of downloads, so the file's name names no person. */
function send(
  { inbox, member }: SignedInCaller,
  { format, pages, name, withEvents = false }: Sending,
): Answer {
  const { store, business, now } = inbox
  const day = localTime(now(), business.timeZone).date
  const file = {
    type: fileFormats[format].type,
    name: `requests-${name}-${day}.${format}`,
    body: () => writeLeads(store, pages, { format, withEvents, readBusiness: () => business }),
  }
  return logged(fileAnswer(file, guarded), `export of ${name} as ${format}`, member.id)
}
