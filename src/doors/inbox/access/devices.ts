/** The page of the devices that show notifications. */
import { html, type Html } from '../../../html.ts'
import { type Answer } from '../../../http/message.ts'
import { type PushDevice } from '../../../store/access/store.ts'
import { inWords } from '../../../time.ts'
import { logged, scriptAnswer, showPage, type InboxPage } from '../frame/answers.ts'
import { buttonDoor } from '../frame/form.ts'
import { sentFields, sentJson, type Inbox, type SignedInCaller } from '../frame/inbox.ts'
import { paths } from '../paths.ts'
import { deviceOf, settingsLink } from './settings.ts'

export async function showDevices(
  caller: SignedInCaller,
  { said = '', ...page }: Pick<InboxPage, 'status' | 'problem'> & { said?: string } = {},
): Promise<Answer> {
  const { inbox, member } = caller
  const own = await inbox.access.store.listDevices(member.id)
  const list = html`<ul class="sheet">
${own.map((each) => deviceRow(inbox, each))}</ul>
`
  const notice = html`<p class="notice" role="status">${said}</p>
`
  const main = html`${said === '' ? '' : notice}<p>A phone or computer can show each new request as it comes in, with its place but no name. A tap opens the request.</p>
${own.length === 0 ? noDevices : list}
<div data-push="${inbox.push.publicKey}" data-answer="${paths.devices}" hidden>
<button type="button" class="wide">Turn on notifications</button>
<p class="say" role="status"></p>
</div>
<p class="soft">On an iPhone, open the inbox in Safari, press Share, then Add to Home Screen. Open it from there, and come back to this page. Notifications need scripts and an https address.</p>
`
  return showPage(caller, { ...page, back: settingsLink, title: 'Notifications', main })
}

const noDevices = html`<p class="empty">None of your devices gets notifications yet.</p>
`

function deviceRow({ business: { timeZone }, now }: Inbox, device: PushDevice): Html {
  const { id, name, madeAt } = device
  const form = (path: string, word: string) => html`<form method="post" action="${path}">
<input type="hidden" name="id" value="${id}">
<button type="submit" class="quiet" aria-label="${word}: ${name}">${word}</button>
</form>
`
  return html`<li class="row">
<span>${name}<small>Added ${inWords(madeAt, timeZone, now())}</small></span>
<div class="pair">
${form(paths.testDevice, 'Send a test')}${form(paths.removeDevice, 'Remove')}</div>
</li>
`
}

export async function addDevice(caller: SignedInCaller): Promise<Answer> {
  const { inbox, ask, member, session } = caller
  const subscription = inbox.push.readSubscription(sentJson(caller))
  if (subscription === undefined) return scriptAnswer(400, { say: notKnown })
  const who = { memberId: member.id, sessionId: session.id }
  const device = { ...subscription, ...who, name: deviceOf(ask) ?? 'Device', madeAt: inbox.now() }
  await inbox.access.store.saveDevice(device)
  return logged(scriptAnswer(200, { to: paths.devices }), 'device added', member.id)
}

const notKnown = "This browser's push service is not supported."

export async function testDevice(caller: SignedInCaller): Promise<Answer> {
  const { inbox, member } = caller
  const id = sentFields(caller)('id')
  const device = (await inbox.access.store.listDevices(member.id)).find((each) => each.id === id)
  const sent = device && (await inbox.push.sendTest(device))
  if (sent?.kind === 'delivered') return showDevices(caller, { said: 'The test is on its way.' })
  if (sent?.kind !== 'failed') return showDevices(caller, { status: 404, problem: gone })
  return showDevices(caller, { status: 502, problem: notSent(sent.answer) })
}

const gone =
  'This device no longer gets notifications. Open the inbox there, and press "Turn on notifications".'

function notSent(answer: string): string {
  return `The push service refused the test (${answer}). Try again later.`
}

export const removeDevice = buttonDoor({
  did: 'device removed',
  path: paths.devices,
  act: ({ inbox, member }, field) =>
    inbox.access.store.removeDevice({ id: field('id'), memberId: member.id }),
})
