import assert from 'node:assert/strict'
import test from 'node:test'
import { receiptMessages, type Receipt } from '../contract/receipt.ts'
import type { Business } from '../contract/business.ts'
import { readBusiness } from './business.ts'
import { receiptMain, thanksReference } from './receipt-page.ts'

const business: Business = readBusiness('content/business.yaml')

function receipt(status: Receipt['status'], canWithdraw = true): Receipt {
  return {
    reference: 'C-7K3QM-4X92P',
    status,
    message: receiptMessages[status],
    received_at: '2026-11-14T23:12:00.000Z',
    changed_at: '2026-11-16T05:40:00.000Z',
    can_withdraw: canWithdraw,
    ...(canWithdraw && { withdraw_url: 'https://decks.example.com/receipt/t/withdraw' }),
    ...(status !== 'erased' && { erase_url: 'https://decks.example.com/receipt/t/erase' }),
  }
}

function show(status: Receipt['status'], canWithdraw = true): string {
  return receiptMain(receipt(status, canWithdraw), business).text
}

function steps(page: string): string[] {
  return [...page.matchAll(/<li class="(\w+)"[^>]*><strong>(.*?)</g)].map(
    ([, place, title]) => `${place}: ${title}`,
  )
}

test('a request on its way shows what was, what is and what is still to come', () => {
  const page = show('contacted')
  assert.deepEqual(steps(page), [
    'done: Received',
    'now: I have been in touch',
    'ahead: A time is set for your Consultation',
  ])
  assert.match(page, /<strong>C-7K3QM-4X92P<\/strong>/)
  assert.match(page, /aria-current="step"><strong>I have been in touch/)
})

test('until I have been in touch, the receipt says when people hear from me', () => {
  const { message } = receipt('received')
  assert.ok(show('received').includes(`<p>${message}</p>\n<p>${business.answers}</p>\n`))
  for (const status of ['contacted', 'consultation_booked', 'closed', 'withdrawn'] as const) {
    assert.ok(!show(status).includes(business.answers!), status)
  }
  const { answers: _, ...unsaid } = business
  assert.ok(!receiptMain(receipt('received'), unsaid).text.includes('<p></p>'))
})

test('a withdrawn request offers to ask again, and gives the phone', () => {
  const page = show('withdrawn', false)
  assert.match(page, /<a class="button" href="\/contact\/">Ask again<\/a>/)
  assert.match(page, /<a href="tel:0491570006">0491 570 006<\/a>/)
  assert.ok(!show('received').includes('Ask again'))
})

test('withdrawing takes two presses, and is offered only while it can be done', () => {
  assert.match(
    show('received'),
    /<details>\n<summary>.*\n.*\n<form method="post" action="\/receipt\/t\/withdraw"><button/,
  )
  assert.ok(!show('closed', false).includes('/withdraw'))
})

test('the page says that withdrawing keeps the details, and erasing them takes two presses', () => {
  for (const page of [show('received'), show('withdrawn', false)]) {
    assert.match(page, /I keep your details as my <a href="\/privacy\/">privacy page<\/a> says/)
    assert.match(page, /<summary>Erase .*\n.*\n<form method="post" action="\/receipt\/t\/erase">/)
  }
  const erased = show('erased', false)
  assert.deepEqual(steps(erased), ['done: Received', 'now: Details erased'])
  assert.doesNotMatch(erased, /<form|Your details stay/)
})

test('after sending, the reference and the way to the receipt are shown', () => {
  const url = 'https://decks.example.com/receipt/t'
  const sent = { reference: 'C-7K3QM-4X92P', url }
  const block = thanksReference(sent, business, false).text
  assert.match(
    block,
    /<strong>C-7K3QM-4X92P<\/strong>[\s\S]*<a class="button" href="\/receipt\/t">/,
  )
  const [, email] = /<a href="(mailto:[^"]*)">Email the link to yourself</.exec(block)!
  const { pathname, searchParams } = new URL(email!.replaceAll('&amp;', '&'))
  assert.equal(pathname, '', 'the email has no address: its sender fills it in')
  assert.equal(searchParams.get('subject'), 'Consultation request C-7K3QM-4X92P')
  assert.equal(searchParams.get('body'), `Reference: C-7K3QM-4X92P\r\nReceipt: ${url}\r\n`)
  const [, photos] = /<a href="(mailto:[^"]*)">Send me photos/.exec(block)!
  assert.equal(photos, 'mailto:sam@example.com?subject=C-7K3QM-4X92P')
})
