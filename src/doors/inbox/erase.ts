/** /inbox/lead/<id>/erase: asks first, since it is final; then erases one request, or all of the person. */
import type { Visit } from '../../access/sessions.ts'
import { erasePerson } from '../../desk/erase.ts'
import { readWholeLead } from '../../desk/whole-lead.ts'
import type { WholeLead } from '../../desk/whole-lead.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { eraseLead } from '../../lead/move.ts'
import { goTo, logged } from './answers.ts'
import { doneCookie, readVersion } from './done-bar.ts'
import { sentFields } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import { missingLead } from './lead-page.ts'
import { alertOf } from './parts.ts'
import type { InboxParts } from './parts.ts'
import { actPath, leadIdIn, leadPath, paths } from './paths.ts'
import { said } from './said.ts'
import { whichChoices } from './which-leads.ts'

export function eraseRoutes(parts: InboxParts): InboxRoute[] {
  const { desk, showPage, now } = parts
  const route = { path: actPath('*', 'erase'), who: 'fresh', after: 'erase' } as const
  return [
    { ...route, method: 'GET', door: show },
    { ...route, method: 'POST', door: erase },
  ]

  async function show(ask: Ask, visit: Visit): Promise<Answer> {
    const whole = await readWholeLead(desk, leadIdIn(ask.path))
    return whole === undefined ? missingLead(parts, ask, visit) : page(ask, visit, whole, 200, '')
  }

  async function erase(ask: Ask, visit: Visit): Promise<Answer> {
    const whole = await readWholeLead(desk, leadIdIn(ask.path))
    if (whole === undefined) return missingLead(parts, ask, visit)
    const field = sentFields(ask)
    const version = readVersion(field('version'))
    if (version !== undefined && version !== whole.lead.version) {
      const words = 'Something happened to it since you opened this page. Look once more.'
      return page(ask, visit, whole, 409, words)
    }
    const about = { leadId: whole.lead.id, by: visit.member.id, at: now() }
    const which = field('which')
    if (which === 'email' || which === 'person') {
      const person = { ...about, alsoPhone: which === 'person' }
      await erasePerson(desk.store, person)
    } else await eraseLead(desk.store, about)
    const cookie = doneCookie(parts, { what: 'erased', leadIds: [whole.lead.id] })
    return logged(goTo(paths.list, cookie), 'erased', visit.member.id)
  }

  function page(
    ask: Ask,
    visit: Visit,
    whole: WholeLead,
    status: number,
    problem: string,
  ): Promise<Answer> {
    const { lead } = whole
    const title = `Erase ${lead.reference}`
    const main = html`<p class="back"><a href="${leadPath(lead.id)}">Back to the request</a></p>
<h1>Erase for good?</h1>
${alertOf(problem)}${lead.state === 'erased' ? erasedAlready : form(whole)}`
    return showPage(ask, { status, title, main, visit })
  }
}

const erasedAlready = html`<p class="empty">This request is erased already.</p>
`

function form(whole: WholeLead): Html {
  const { lead } = whole
  return html`<p>The request of <strong>${said(lead.values.name)}</strong>, <span class="nowrap">${lead.reference}</span>: everything that was sent, and your notes. It cannot be undone. Backups that were made before still have it until they are deleted, and so has a database that a backup has replaced. Whoever brings a backup back erases it again.</p>
<form method="post" action="${actPath(lead.id, 'erase')}"><input type="hidden" name="version" value="${lead.version}">
${whichChoices(whole, 'one')}<p><button type="submit" class="wide danger">Erase for good</button></p>
<p><a class="button wide quiet" href="${leadPath(lead.id)}">Keep it</a></p>
</form>
`
}
