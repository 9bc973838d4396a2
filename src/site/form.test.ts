import assert from 'node:assert/strict'
import test from 'node:test'
import { checkFields } from '../contract/check-fields.ts'
import { fields } from '../contract/fields.ts'
import { readBusiness } from './business.ts'
import { leadForm, toFormProblems, wholeFormProblem } from './form.ts'

const business = readBusiness('content/business.yaml')
const empty = { nonce: 'a-nonce', typed: {}, problems: [] }

test('every field has a label, and says so when it may be left empty', () => {
  const form = leadForm(empty, business).text
  for (const { name, label, required } of fields) {
    assert.ok(
      form.includes(`<label for="${name}">${label}${required ? '</label>' : ' <span>(optional)'}`),
    )
    const control = controlOf(form, name)
    assert.doesNotMatch(control, /maxlength|autocomplete="off"/)
    assert.equal(control.includes(' required'), required)
    assert.ok(!control.includes('aria-invalid'))
  }
  assert.ok(!form.includes('role="alert"'))
})

test('the form posts its nonce, and a trap that neither people nor agents fill in', () => {
  const form = leadForm(empty, business).text
  assert.match(form, /<form [^>]*method="post" action="\/api\/lead" accept-charset="utf-8"/)
  assert.match(form, /<input type="hidden" name="idempotency_key" value="a-nonce">/)
  assert.match(
    form,
    /<div hidden aria-hidden="true">\n<input name="botcheck" type="text" readonly tabindex="-1" autocomplete="off">/,
  )
})

test('an agent in the browser may fill in the form, and a person sends it', () => {
  const form = leadForm(empty, business).text
  assert.match(
    form,
    /toolname="submit_consultation_lead" tooltitle="Request a Consultation" tooldescription="[^"]*consent[^"]*"/,
  )
  assert.ok(!form.includes('toolautosubmit'))
  for (const { name, description } of fields) {
    assert.ok(controlOf(form, name).includes(`toolparamdescription="${description}"`))
  }
})

test('what was typed comes back as it was, markup and a first empty line too', () => {
  const typed = { name_1: `Robin "Bo" <O'Neil>`, textarea_1: '\nTwo steps & a seat</textarea>' }
  const form = leadForm({ ...empty, typed }, business).text
  assert.ok(form.includes('value="Robin &quot;Bo&quot; &lt;O&#39;Neil&gt;"'))
  assert.ok(form.includes('>\n\nTwo steps &amp; a seat&lt;/textarea&gt;</textarea>'))
})

test('a problem stands beside its field and, with a link to it, above the form', () => {
  const problems = [
    { field: 'name_1', words: 'Please tell me your name.' },
    { field: 'email_1', words: 'This address seems to lack what comes after the @.' },
  ]
  const form = leadForm({ ...empty, typed: { email_1: 'robin@' }, problems }, business).text
  assert.match(form, /^<div class="problems" role="alert" id="problems" tabindex="-1" autofocus>/)
  assert.ok(form.includes('<li><a href="#name_1">Please tell me your name.</a></li>'))
  assert.ok(form.includes('<p class="problem" id="name_1-problem">Please tell me your name.</p>'))
  assert.ok(form.includes('what comes after the @. <span>For example: robin@example.com'))
  assert.match(
    controlOf(form, 'email_1'),
    /aria-describedby="email_1-problem email_1-hint" aria-invalid="true" value="robin@"/,
  )
  assert.ok(!controlOf(form, 'phone_1').includes('aria-invalid'))
})

test('a problem of the whole form is told above it', () => {
  const problems = [{ field: '(body)', words: 'Something got lost.' }]
  assert.ok(
    leadForm({ ...empty, problems }, business).text.includes('<li>Something got lost.</li>'),
  )
})

function controlOf(form: string, name: string): string {
  return new RegExp(`<(?:input|textarea)[^>]* id="${name}"[^>]*>`).exec(form)?.[0] ?? ''
}

test('a person is told what an email address needs', () => {
  assert.deepEqual(wordsFor({ name_1: 'Robin', email_1: '' }), [
    'Please add your email address, so that I can reply to you.',
  ])
  assert.deepEqual(wordsFor({ name_1: 'Robin', email_1: 'robin@example' }), [
    "This email address doesn't look right. It needs one @, a dot after it, and no spaces.",
  ])
})

test('a person is told what is missing and what is too long, and never of field names', () => {
  const sent = { email_1: 'robin@example.com', textarea_1: 'x'.repeat(10_005), day: ['1', '2'] }
  assert.deepEqual(wordsFor(sent), [
    'Please tell me your name.',
    'Your project is 10,005 characters long, and 10,000 is the most I can receive. Please shorten it.',
  ])
})

test('what no person can mend is put down to the way, and a body too large to its length', () => {
  const key = { field: 'Idempotency-Key', problem: 'must be a text', example: '' }
  const [problem] = toFormProblems([key], {}, business)
  assert.match(problem!.words, /got lost on the way/)
  assert.match(wholeFormProblem('PARSE_ERROR').words, /got lost on the way/)
  assert.match(wholeFormProblem('PAYLOAD_TOO_LARGE').words, /10,000 characters/)
})

function wordsFor(sent: Record<string, unknown>): string[] {
  return toFormProblems(checkFields(sent).problems, sent, business).map(({ words }) => words)
}
