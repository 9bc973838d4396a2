/** /inbox/settings/devices: where a member is signed in, and signing out there. */
import type { Visit } from '../../access/sessions.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import type { Session } from '../../store/access/sessions.ts'
import { goTo, logged } from './answers.ts'
import { sentFields } from './forms.ts'
import type { InboxRoute } from './guard.ts'
import type { InboxParts } from './parts.ts'
import { paths } from './paths.ts'
import { shownDay } from './shown-day.ts'
import { signedOut } from './sign-out.ts'

export function devicesRoutes(parts: InboxParts): InboxRoute[] {
  const { access, showPage, timeZone, now } = parts
  return [
    { path: paths.devices, method: 'GET', who: 'member', door: show },
    { path: paths.endDevice, method: 'POST', who: 'member', door: endOne },
    { path: paths.endDevices, method: 'POST', who: 'member', door: endAll },
  ]

  async function show(ask: Ask, visit: Visit): Promise<Answer> {
    const devices = await access.store.listSessions(now(), visit.member.id)
    const main = html`<p class="back"><a href="${paths.settings}">Settings</a></p>
<h1>Devices</h1>
<p>Where you are signed in. A device signs out by itself after 30 days without a visit.</p>
<ul class="sheet">
${devices.map((each) => row(each, each.id === visit.session.id))}</ul>
<form method="post" action="${paths.endDevices}"><button type="submit" class="wide quiet">Sign out everywhere</button></form>
`
    return showPage(ask, { title: 'Devices', main, visit })
  }

  function row({ id, device, seenAt }: Session, isThis: boolean): Html {
    const seen = shownDay(seenAt, now(), timeZone)
    return html`<li class="row"><span>${device}<small>${isThis ? 'this one' : `last seen ${seen}`}</small></span>
<form method="post" action="${paths.endDevice}"><input type="hidden" name="id" value="${id}"><button type="submit" class="quiet" aria-label="Sign out ${device}">Sign out</button></form></li>
`
  }

  /** Only one of the member's own. */
  async function endOne(ask: Ask, { member, session }: Visit): Promise<Answer> {
    const id = sentFields(ask)('id')
    await access.store.endSession(id, member.id)
    return logged(id === session.id ? signedOut(parts) : goTo(paths.devices), 'out', member.id)
  }

  async function endAll(_ask: Ask, { member }: Visit): Promise<Answer> {
    await access.store.endSessions({ memberId: member.id })
    return logged(signedOut(parts), 'out everywhere', member.id)
  }
}
