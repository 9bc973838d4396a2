import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { fields } from '../../src/contract/fields.ts'
import { checkLead } from '../../src/lead/check.ts'
import { LeadIds } from '../../src/lead/ids.ts'
import { newReference } from '../../src/store/leads/reference.ts'
import { openTestDelivery, secret } from '../support/delivery.ts'
import { byMail } from '../support/sink.ts'
import { openMailSink, parseEmail, type CaughtEmail } from '../support/smtp.ts'

const naughty = JSON.parse(
  readFileSync(new URL('../data/naughty-strings.json', import.meta.url), 'utf8'),
) as string[]

/** What the list leaves out: headers, addresses, templates, marks of MIME, ways out of HTML. */
const wraps = [
  (text: string) => `x\r\n${text}`,
  (text: string) => `x\n${text}`,
  (text: string) => `x\r${text}`,
  (text: string) => `x\u2028${text}\u2029`,
  (text: string) => `x\u0085${text}\v\f`,
  (text: string) => `=?UTF-8?B?${Buffer.from(`\r\n${text}`).toString('base64')}?=`,
  (text: string) => `=?utf-8?Q?=0D=0A${text}?=`,
  (text: string) => `%0d%0a${text}`,
  (text: string) => `x\0\r\n\0${text}`,
  (text: string) => `x\r\n ${text}`,
  (text: string) => `<![CDATA[${text}]]>`,
  (text: string) => `"${text}", `,
]
const smuggled = [
  'Bcc: evil@example.net',
  'To: evil@example.net',
  'Subject: other',
  'Reply-To: evil@example.net',
  'Content-Type: text/html\r\n\r\n<script>alert(1)</script>',
  '.\r\nMAIL FROM:<evil@example.net>\r\nRCPT TO:<evil@example.net>\r\nDATA',
  '.\nQUIT',
  'X-Evil: 1',
]

/** So many of the list, from all its parts. A trial takes all, and each way to smuggle in each wrap. */
const wanted = Number(process.env['STORY_NAUGHTY_EMAILS'] ?? 25)
const step = Math.max(1, naughty.length / wanted)
const wrapStep = step === 1 ? 1 : 3
const wrapped = smuggled.flatMap((text, at) =>
  wraps.filter((_, index) => (index + at) % wrapStep === 0).map((wrap) => wrap(text)),
)
const own = [
  ...wrapped,
  '--boundary--\r\nContent-Type: text/html\r\n\r\n<b>x</b>',
  '{{7*7}} ${7*7} <%= 7*7 %> #{7*7} {% raw %} [[${7*7}]]',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</blockquote></div></body></html><form action=//evil.example.net>',
  '<a href="javascript:alert(1)">x</a>',
  '<!--',
  ']]>',
  '</title><script>alert(1)</script>',
  '<style>*{display:none}</style>',
  '<base href=//evil.example.net>',
  '<meta http-equiv=refresh content=0;url=//evil.example.net>',
  'javascript:alert(1)',
  'tel:+61;ext=1<script>',
  '+61 2 5550 0100"><svg onload=alert(1)>',
  '\u202egnp.exe\u202c',
  '\ufeff\u200b\u200d',
  'a, evil@example.net',
  'Robin <evil@example.net>',
  '"evil@example.net" <x@example.com>',
  'x'.repeat(9_999),
  '\ud83e\udeb5'.repeat(100),
  'line\n'.repeat(300),
  '.\n..\n...\nFrom here',
  'A\tB\tC',
  '\u0000\u0001\u0008\u001b[31m',
]

/** Valid by our rule, and as odd as it allows. */
const addresses = [
  "o'brien+tag@example.com",
  '!#$%&*+/=?^_`{|}~-@example.com',
  '=?utf-8?q?evil?=@example.com',
  'postmaster@xn--bcher-kva.example.com',
  `${'a'.repeat(64)}@example.com`,
]

const some = naughty.filter((_, index) => index % step < 1)
const strings = [...some, ...own]
const headers = [
  'from',
  'to',
  'reply-to',
  'subject',
  'message-id',
  'date',
  'mime-version',
  'content-type',
  'auto-submitted',
].sort()
const allowedLink =
  /(?:tel:\+?\d+|mailto:[^"<>\s]+|https:\/\/decks\.example\.com\/(?:tap\/[\w-]+|inbox\/lead\/[\da-f-]{36}))/
const allowedTags = [
  /!doctype html|br|\/?(?:html|head|title|body|div|h1|p|table|tr|td|blockquote|a)|html lang="en-AU"/,
  /meta charset="utf-8"|meta name="viewport" content="width=device-width, initial-scale=1"/,
  /meta name="color-scheme" content="light dark"|\/?style/,
  /(?:body|div|h1|p|td|blockquote)(?: class="[a-z ]+")? style="[^"<>]*"/,
  /table role="presentation" style="[^"<>]*"/,
  new RegExp(`a href="${allowedLink.source}" class="(?:link|main)" style="[^"<>]*"`),
]
const allowedTag = new RegExp(`^<(?:${allowedTags.map(({ source }) => source).join('|')})>$`)

test(`${strings.length} hostile strings in every field change no header, no recipient and no tag [deliver.email]`, async (t) => {
  assert.ok(some.length >= Math.min(wanted, naughty.length) - 1)
  const mail = await openMailSink(t)
  const service = await openTestDelivery(t, { env: byMail(mail) })
  const leadIds = new LeadIds(secret)
  const emails = new Map<string, string>()
  const keeping = strings.map((text, number) => {
    const email = addresses[number % addresses.length]!
    const { lead } = takeIn(text, email)
    const id = leadIds.next(service.clock.now + number)
    emails.set(id, email)
    return service.store.leads.keep({
      id,
      reference: newReference(service.clock.now),
      receivedAt: service.clock.now,
      values: lead.values,
      unlisted: lead.unlisted,
      botcheck: '',
      door: 'mcp',
      agent: text.toWellFormed(),
      client: '',
      userAgent: text.toWellFormed(),
      judgement: { score: 0, reasons: [] },
      state: 'new',
      personKeys: [],
      dedup: { by: 'key', value: String(number) },
      deliverTo: ['mail'],
    })
  })
  await Promise.all(keeping)
  await service.settle()
  assert.equal(mail.emails.length, strings.length)
  const faults: string[] = []
  for (const email of mail.emails) faults.push(...(await findFaults(email, emails)))
  assert.deepEqual(faults, [])
})

/** Normalises like every door. A text too long for its field is cut, so that the field is tried at all. */
function takeIn(text: string, email: string) {
  const cut = fields.map(({ name, maxLength }) => [name, [...text].slice(0, maxLength).join('')])
  const body = { ...Object.fromEntries(cut), email_1: email, [`odd ${text.slice(0, 50)}`]: text }
  const whole = { ...body, name_1: `${body.name_1 ?? ''}`.trim() === '' ? 'x' : body.name_1 }
  const checked = checkLead(whole)
  if ('lead' in checked) return checked
  // Only blanks or controls: no door takes that as a name.
  const again = checkLead({ ...whole, name_1: 'x', unlisted: undefined })
  if ('lead' in again) return again
  const plain = checkLead({ name_1: 'x', email_1: email, textarea_1: body.textarea_1 })
  if ('lead' in plain) return plain
  throw new Error(JSON.stringify(plain))
}

async function findFaults(email: CaughtEmail, emails: Map<string, string>): Promise<string[]> {
  const faults: string[] = []
  const [head = ''] = email.raw.split('\r\n\r\n')
  const names = head
    .split('\r\n')
    .filter((line) => !/^[ \t]/.test(line))
    .map((line) => line.split(':')[0]!.toLowerCase())
    .sort()
  if (names.join() !== headers.join()) faults.push(`headers ${names.join()}`)
  if (email.recipients.join() !== 'owner@example.com') faults.push(`to ${email.recipients.join()}`)
  const { replyTo, html, to, subject, messageId } = await parseEmail(email)
  if (to?.length !== 1 || to[0]!.address !== 'owner@example.com') faults.push('another To')
  const id = messageId!.slice(1, messageId!.indexOf('.mail@'))
  const answers = replyTo?.map(({ address }) => address).join()
  if (answers !== emails.get(id)) faults.push(`Reply-To ${answers}`)
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202e]/.test(subject!)) faults.push('odd subject')
  if ([...subject!].length > 90) faults.push('long subject')
  for (const [tag] of html!.matchAll(/<[^>]*>?/g)) {
    if (!allowedTag.test(tag)) faults.push(`tag ${tag}`)
  }
  return faults
}
