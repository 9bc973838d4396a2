/** Sends requests as a file: those of a tab, or of one person. */
import { pagesOfPerson, pagesOfView, writeLeads, type Pages } from '../../../desk/export.ts'
import { countToExport, isViewName, toCountText, viewNames, views } from '../../../desk/views.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { fileAnswer } from '../../../http/answers.ts'
import { type Answer } from '../../../http/message.ts'
import { isShown } from '../../../store/photos/photos.ts'
import { localTime } from '../../../time.ts'
import { settingsLink } from '../access/settings.ts'
import { goTo, guarded, logged } from '../frame/answers.ts'
import { formDoors } from '../frame/form.ts'
import { askedFields, todayIn, type Inbox, type SignedInCaller } from '../frame/inbox.ts'
import { said } from '../frame/words.ts'
import { actPath, leadPath, paths, picturePath } from '../paths.ts'
import { whichChoices } from './erase.ts'
import { ofLead, type LeadCaller } from './page.ts'

export const exportForm = formDoors({
  read: (field) => ({ view: field('view'), format: field('format') }),
  begin: (caller) => ({ view: askedFields(caller)('view'), format: '' }),
  act: sendView,
  page: viewPage,
})

export const personExportForm = ofLead(
  formDoors({
    read: (field) => ({ which: field('which'), format: field('format') }),
    act: sendPerson,
    page: personPage,
  }),
)

type OfView = { view: string; format: string }
type OfPerson = { which: string; format: string }

function sendView(caller: SignedInCaller, { view, format }: OfView): Answer {
  const { store } = caller.inbox
  if (!isViewName(view) || !isFileFormat(format)) return goTo(paths.export)
  const pages = pagesOfView(store, view, todayIn(caller.inbox))
  return send(caller, { format, pages, name: view })
}

async function viewPage({ inbox }: SignedInCaller, typed: OfView) {
  const view = isViewName(typed.view) ? typed.view : 'all'
  const counts = await countToExport(inbox.store, todayIn(inbox))
  const options = viewNames.map((name) => {
    const chosen = name === view ? html` selected` : ''
    const label = `${views[name].label} (${toCountText(counts[name])})`
    return html`<option value="${name}"${chosen}>${label}</option>
`
  })
  const choice = html`<label for="view">Requests</label>
<select id="view" name="view">
${options}</select>
`
  return {
    back: settingsLink,
    title: 'Export',
    main: exportMain(typed, {
      what: html`A file with these requests and your notes. JSON has every detail.`,
      action: paths.export,
      choice,
    }),
  }
}

async function sendPerson(caller: LeadCaller, { which, format }: OfPerson): Promise<Answer> {
  const { inbox, whole } = caller
  if (!isFileFormat(format)) return goTo(actPath(whole.lead.id, 'export'))
  const pages = await pagesOfPerson(inbox.store, whole.lead.id, which === 'person')
  return send(caller, { format, pages, name: 'one-person', withEvents: true })
}

async function personPage({ inbox, whole }: LeadCaller, typed: OfPerson) {
  const { lead } = whole
  const first = lead.values.email === '' ? 'one' : 'email'
  const choice = html`<fieldset>
<legend>Requests</legend>
${whichChoices(whole, whole.ofPerson, { first, chosen: typed.which })}</fieldset>
`
  const form = exportMain(typed, {
    what: html`A file with the requests of ${said(lead.values.name)} and your notes.
JSON also has the history of each.`,
    action: actPath(lead.id, 'export'),
    choice,
  })
  return {
    back: html`<a href="${leadPath(lead.id)}">${said(lead.values.name)}</a>`,
    title: 'Export one person',
    main: html`${form}${await photoLinks(inbox, lead.id)}`,
  }
}

/** The photos of all requests with the same email. The names of the files name no person. */
async function photoLinks({ store }: Inbox, leadId: string): Promise<Html> {
  const links: Html[] = []
  for await (const leads of await pagesOfPerson(store, leadId, false)) {
    const photos = await store.photos.of(leads)
    for (const { id, leadId: of } of photos.filter(isShown)) {
      const reference = leads.find((lead) => lead.id === of)!.reference
      const file = `${reference}-${links.length + 1}.jpg`
      links.push(html`<li><a href="${picturePath(id, 'large')}" download="${file}">${file}</a></li>
`)
    }
  }
  if (links.length === 0) return noHtml
  return html`<h2>Photos, as files</h2>
<ul>
${links}</ul>
`
}

type ExportPage = { what: Html; action: string; choice: Html }

function exportMain({ format }: { format: string }, { what, action, choice }: ExportPage): Html {
  return html`<p>${what} The log records that you exported it.</p>
<form method="post" action="${action}">
${choice}${formatFields(format || 'csv')}</form>
`
}

const fileFormats = {
  csv: { label: 'CSV, for a spreadsheet', type: 'text/csv; charset=utf-8; header=present' },
  json: { label: 'JSON, for a program', type: 'application/json' },
} as const

type FileFormat = keyof typeof fileFormats

function isFileFormat(text: string): text is FileFormat {
  return Object.hasOwn(fileFormats, text)
}

function formatFields(chosen: string): Html {
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

type FileToSend = { format: FileFormat; pages: Pages; name: string; withEvents?: boolean }

/** Browsers list the names of downloads, so the file's name names no person. */
function send(
  { inbox, member }: SignedInCaller,
  { format, pages, name, withEvents = false }: FileToSend,
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
