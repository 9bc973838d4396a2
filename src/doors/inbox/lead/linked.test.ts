import assert from 'node:assert/strict'
import test from 'node:test'
import { linked } from './linked.ts'

/** The addresses that the text leads to. */
function linksIn(text: string): string[] {
  return [...linked(text).text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!)
}

test('numbers, emails and web addresses in a sentence are links, and the sentence stays as it is', () => {
  const text =
    'Ring 0491 570 006 (or (02) 5550 0100), mail kim@example.com, see https://example.com/a?b=1&c=2.'
  const link = (href: string, words: string) => `<a href="${href}">${words}</a>`
  const web =
    '<a href="https://example.com/a?b=1&amp;c=2" target="_blank" rel="noopener noreferrer nofollow">https://example.com/a?b=1&amp;c=2</a>'
  const [mobile, office] = [
    link('tel:0491570006', '0491 570 006'),
    link('tel:0255500100', '(02) 5550 0100'),
  ]
  const mail = link('mailto:kim@example.com', 'kim@example.com')
  assert.equal(linked(text).text, `Ring ${mobile} (or ${office}), mail ${mail}, see ${web}.`)
  assert.deepEqual(linksIn('www.example.com/deck, or +61 491 570 006'), [
    'https://www.example.com/deck',
    'tel:+61491570006',
  ])
  const [, postcode] = linked('+61 491 570 006 2479').text.split('</a>')
  assert.equal(postcode, ' 2479', 'the digits after a number are not dialled')
  assert.deepEqual(linksIn('0491570006\n1300 975 707\n(see http://example.com)'), [
    'tel:0491570006',
    'tel:1300975707',
    'http://example.com',
  ])
})

test('measures, dates, money, postcodes and parts of longer words are no links', () => {
  for (const text of [
    'A deck of 4 by 6 metres, 2479 Bangalow, 16/11/2026, 01-02-2026, 10:00',
    'order 20491570006123 or x0491570006',
    'not an email: kim@home, @kim, kim@@example.com',
    'http://localhost/x http:// https://',
    '0491',
  ]) {
    assert.deepEqual(linksIn(text), [], text)
  }
})

test('hostile text leads nowhere, and stays text', () => {
  for (const text of [
    'javascript:alert(1)',
    'JavaScript://example.com/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x file:///etc/passwd ftp://example.com blob:https://example.com/1',
    'view-source:https://example.com',
    'https://bank.example.com@evil.example.com/',
    'https://user:secret@example.com',
    // A Cyrillic letter, and full-width ones.
    'https://ex\u0430mple.com https://\uFF45xample.com',
    // Right-to-left characters could show another address than the one it leads to.
    'https://example.com/\u202Efdp.exe',
    'https://example.com/\u05D0\u05D1',
    'kim\u202E@example.com',
    'https://example.com\u200B.evil.example.com',
    '04\u200B91 570 006',
  ]) {
    assert.deepEqual(linksIn(text), [], text)
    assert.doesNotMatch(linked(text).text, /<(?!a )(?!\/a>)|[\u202A-\u202E]/, text)
  }
})

test('no quote or bracket of the text gets out of a link', () => {
  const hostile = [
    'https://example.com/"onmouseover="alert(1)',
    "https://example.com/'><script>alert(1)</script>",
    'kim@example.com"onfocus=alert(1)',
    'mailto:kim@example.com?bcc=eve@example.com&body=x',
    '<a href="https://example.com">0491 570 006</a>',
  ]
  for (const text of hostile) {
    const tags = linked(text).text.match(/<[^>]*>/g) ?? []
    for (const tag of tags) {
      const bare = tag.replace(' target="_blank" rel="noopener noreferrer nofollow"', '')
      assert.match(bare, /^(?:<\/a>|<a href="(?:https?:\/\/|tel:|mailto:)[^"<>]*">)$/)
    }
    const plain = linked(text).text.replaceAll(/<[^>]*>/g, '')
    const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }
    const read = plain.replaceAll(/&[^;]+;/g, (each) => entities[each as keyof typeof entities])
    assert.equal(read, text, 'every character of the text is shown')
  }
})

test('a long text without an end takes no long time to read', () => {
  for (const part of ['0', 'a@', 'www.', '+61 ', '((0', 'https://', 'a.']) {
    assert.equal(linked(part.repeat(5_000)).text.replaceAll(/<[^>]*>/g, ''), part.repeat(5_000))
  }
})
