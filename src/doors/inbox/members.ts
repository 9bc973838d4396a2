/** /inbox/settings/members: the people who may open the inbox, all with the same rights. */
import { readMember } from '../../access/members.ts'
import type { Visit } from '../../access/sessions.ts'
import { howToType } from '../../how-to-type.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import type { Member } from '../../store/access/members.ts'
import { goTo, logged } from './answers.ts'
import { sentFields } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import { memberFields, memberProblem } from './member-fields.ts'
import { alertOf } from './parts.ts'
import type { InboxParts } from './parts.ts'
import { paths, stepUpFor } from './paths.ts'

export function membersRoutes(parts: InboxParts): InboxRoute[] {
  const { access, showPage, mailsCodes, now } = parts
  const change = { method: 'POST', who: 'fresh', after: 'members' } as const
  const nothing = { name: '', email: '', problem: '' }
  return [
    {
      path: paths.members,
      method: 'GET',
      who: 'member',
      door: (ask, visit) => show(ask, visit, 200, nothing),
    },
    { path: paths.members, ...change, door: add },
    { path: paths.endMember, ...change, door: end },
  ]

  async function show(
    ask: Ask,
    visit: Visit,
    status: number,
    { problem, ...typed }: typeof nothing,
  ): Promise<Answer> {
    const members = await access.store.listMembers()
    const main = html`<p class="back"><a href="${paths.settings}">Settings</a></p>
<h1>Members</h1>
${alertOf(problem)}<p>They see every request and may do everything that you may. Add only people you trust.</p>
<ul class="sheet">
${members.map((each) => row(each, each.id === visit.member.id, visit.isFresh))}</ul>
${visit.isFresh ? addForm(typed) : confirmFirst}`
    return showPage(ask, { status, title: 'Members', main, visit })
  }

  async function add(ask: Ask, visit: Visit): Promise<Answer> {
    const field = sentFields(ask)
    const typed = { name: field('name'), email: field('email') }
    const read = readMember(typed, now())
    if ('problems' in read) {
      return show(ask, visit, 400, { ...typed, problem: memberProblem(read.problems) })
    }
    if (!(await access.store.addMember(read.member))) {
      return show(ask, visit, 409, { ...typed, problem: 'A member has this email already.' })
    }
    return logged(goTo(paths.members), 'member added', visit.member.id)
  }

  /** Not oneself: so somebody stays who can open the inbox. */
  async function end(ask: Ask, { member }: Visit): Promise<Answer> {
    const id = sentFields(ask)('id')
    const hasEnded = id !== member.id && (await access.store.endMember(id, now(), member.id))
    if (!hasEnded) return goTo(paths.members)
    return logged(goTo(paths.members), 'member ended', member.id)
  }

  function addForm(typed: { name: string; email: string }): Html {
    return html`<h2>Add a member</h2>
<form method="post" action="${paths.members}">
${memberFields(typed)}<button type="submit" class="wide">Add</button>
</form>
<p class="small">${
      mailsCodes
        ? 'Tell them the address of the inbox: they sign in with a code by mail, then add a passkey.'
        : html`They come in by an address that <code>${howToType('inbox link --email …')}</code> prints.`
    }</p>
`
  }
}

function row({ id, name, email }: Member, isSelf: boolean, isFresh: boolean): Html {
  const button = html`<form method="post" action="${paths.endMember}"><input type="hidden" name="id" value="${id}"><button type="submit" class="quiet" aria-label="End the membership of ${name}">End</button></form>`
  return html`<li class="row"><span>${name}${isSelf ? ' (you)' : ''}<small>${email}</small></span>${isFresh && !isSelf ? button : ''}</li>
`
}

const confirmFirst = html`<p><a class="button wide quiet" href="${stepUpFor('members')}">Add or end members</a></p>
`
