/** /inbox/export: the requests of a tab as a file; /inbox/lead/<id>/export: those of one person. */
import type { Visit } from '../../access/sessions.ts'
import {
  pagesOfPerson,
  pagesOfView,
  pagesWhile,
  recordExport,
  writeLeads,
} from '../../desk/export.ts'
import type { ExportOf } from '../../desk/export.ts'
import { countViews, isViewName, toCountText, viewNames, views } from '../../desk/views.ts'
import type { ViewName } from '../../desk/views.ts'
import { readWholeLead } from '../../desk/whole-lead.ts'
import type { WholeLead } from '../../desk/whole-lead.ts'
import { html } from '../../html.ts'
import type { Answer, Ask, StreamSource } from '../../http/message.ts'
import { keysToTrust } from '../../lead/person-keys.ts'
import type { Lead } from '../../store/rows.ts'
import { logged } from './answers.ts'
import { fileAnswer, formatFields, isFileFormat } from './export-file.ts'
import type { FileFormat } from './export-file.ts'
import { sentFields } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import { missingLead } from './lead-page.ts'
import { alertOf } from './parts.ts'
import type { InboxParts } from './parts.ts'
import { actPath, leadIdIn, leadPath, listPath, paths } from './paths.ts'
import { said } from './said.ts'
import { whichChoices } from './which-leads.ts'

export function exportRoutes(parts: InboxParts): InboxRoute[] {
  const { access, desk, showPage, timeZone, now } = parts
  const { store } = desk
  const fresh = { who: 'fresh', after: 'export' } as const
  const ofOne = { path: actPath('*', 'export'), who: 'fresh', after: 'person' } as const
  return [
    { path: paths.export, method: 'GET', ...fresh, door: showViews },
    { path: paths.export, method: 'POST', ...fresh, door: sendView },
    { ...ofOne, method: 'GET', door: ofPerson(showPerson) },
    { ...ofOne, method: 'POST', door: ofPerson(sendPerson) },
  ]

  async function showViews(ask: Ask, visit: Visit): Promise<Answer> {
    const view = new URLSearchParams(ask.query).get('view') ?? ''
    return showChoice(ask, visit, isViewName(view) ? view : 'all')
  }

  async function showChoice(ask: Ask, visit: Visit, view: ViewName, problem = '') {
    const counts = await countViews(store)
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
${formatFields}</form>
`
    return showPage(ask, { status: problem === '' ? 200 : 400, title: 'Export', main, visit })
  }

  async function sendView(ask: Ask, visit: Visit): Promise<Answer> {
    const field = sentFields(ask)
    const [view, format] = [field('view'), field('format')]
    if (!isViewName(view)) return showChoice(ask, visit, 'all', 'Choose which requests.')
    if (!isFileFormat(format)) return showChoice(ask, visit, view, 'Choose a kind of file.')
    const source = () => writeLeads(store, whileIn(visit, pagesOfView(store, view)), { format })
    return send(visit, { of: { view }, format, source, name: view })
  }

  async function showPerson(
    ask: Ask,
    visit: Visit,
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
${whichChoices(whole, 'email')}</fieldset>
${formatFields}</form>
`
    return showPage(ask, { status: problem === '' ? 200 : 400, title: 'Export', main, visit })
  }

  async function sendPerson(ask: Ask, visit: Visit, whole: WholeLead): Promise<Answer> {
    const field = sentFields(ask)
    const format = field('format')
    if (!isFileFormat(format)) return showPerson(ask, visit, whole, 'Choose a kind of file.')
    const { lead, personKeys } = whole
    const alsoPhone = field('which') === 'person'
    const keys = keysToTrust(personKeys, alsoPhone)
    const withEvents = format === 'json'
    const source = () =>
      writeLeads(store, whileIn(visit, pagesOfPerson(store, keys)), { format, withEvents })
    const of = { personOf: lead.id, ...(alsoPhone && { alsoPhone }) }
    return send(visit, { of, format, source, name: 'one-person' })
  }

  function ofPerson(door: (ask: Ask, visit: Visit, whole: WholeLead) => Promise<Answer>) {
    return async (ask: Ask, visit: Visit): Promise<Answer> => {
      const whole = await readWholeLead(desk, leadIdIn(ask.path))
      const isThere = whole !== undefined && whole.lead.state !== 'erased'
      return isThere ? door(ask, visit, whole) : missingLead(parts, ask, visit)
    }
  }

  /** Whoever is signed out, or no member any more, gets no further page. */
  function whileIn(visit: Visit, pages: AsyncIterable<Lead[]>): AsyncIterable<Lead[]> {
    return pagesWhile(pages, () => access.sessions.isOpen(visit))
  }

  /** Recorded before the first byte leaves. */
  async function send({ member }: Visit, { of, format, source, name }: Sending): Promise<Answer> {
    await recordExport(store, { of, format, by: member.id, at: now() })
    const file = fileAnswer(source, { name, format, at: now(), timeZone })
    return logged(file, `export of ${name} as ${format}`, member.id)
  }
}

type Sending = { of: ExportOf; format: FileFormat; source: StreamSource; name: string }
