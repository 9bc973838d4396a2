/** Times, sizes and counts that people read are those of the code. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import test from 'node:test'
import * as limits from '../src/contract/limits.ts'
import { retriedForMs, retryDelaysMs } from '../src/contract/notices.ts'
import { untouchedDays } from '../src/contract/states.ts'
import { receiverAnswerMs } from '../src/contract/webhooks.ts'
import { mostEmailsPerHour } from '../src/delivery/channel.ts'
import { noNeedDays } from '../src/desk/plan.ts'
import { visitEmailWaitMs } from '../src/lead/hearing.ts'
import { mostANight } from '../src/lead/retention.ts'
import { dayMs, durationInWords, minuteMs, secondMs, smallNumber } from '../src/time.ts'

const { clientLimits, codeMs, codeTries, freshMs, keyKeptMs, linkMs } = limits
const { maxPhotoBytes, mostPhotos, photoLimit, photoUpload, repeatWindowMs, sessionMs } = limits
const { readTimeoutMs, requestTimeoutMs, uploadsAtOnce } = limits
const retriedFor = durationInWords(Math.floor(retriedForMs / dayMs) * dayMs)
const [first = 0, second = 0, third = 0, fourth = 0] = retryDelaysMs

/** A guide has no placeholders, as pages of the site have, so its words are compared. */
const said: Record<string, readonly string[]> = {
  'README.md': [
    `and retries for ${retriedFor}`,
    `repeats the first answer for ${durationInWords(keyKeptMs)}`,
    `the same content from the same address within ${durationInWords(repeatWindowMs)}`,
  ],
  'CONTRIBUTING.md': [`_fresh_ for ${durationInWords(freshMs)} after signing in`],
  'docs/agents.md': [
    `marked as a repeat, for ${durationInWords(keyKeptMs)}`,
    `the same content from the same address within ${durationInWords(repeatWindowMs)}`,
    `at most ${maxPhotoBytes / 1e6} MB, ${smallNumber(mostPhotos)} in all`,
  ],
  'docs/inbox.md': [
    `expires in ${durationInWords(linkMs)}`,
    `valid for ${durationInWords(codeMs)} and ${smallNumber(codeTries)} tries`,
    `signed in for ${durationInWords(sessionMs.idle)} after its last use`,
    `and for ${durationInWords(sessionMs.longest)} at most`,
    `your last sign-in is more than ${durationInWords(freshMs)} ago`,
    `up to ${smallNumber(mostPhotos)} of your own`,
    `without a date for ${durationInWords(untouchedDays * dayMs)}`,
    `brings the request back in ${durationInWords(noNeedDays * dayMs)}`,
    `nobody has touched it for ${durationInWords(untouchedDays * dayMs)}`,
  ],
  'docs/notifications.md': [
    `At most ${mostEmailsPerHour} emails about leads go out in an hour`,
    `at most ${mostEmailsPerHour} requests in an hour`,
    `had no date for ${durationInWords(untouchedDays * dayMs)}`,
    `The email waits ${durationInWords(visitEmailWaitMs)}`,
    `within ${durationInWords(receiverAnswerMs)}`,
    `or none, is retried for ${retriedFor}`,
    `A failed delivery is retried for ${retriedFor}`,
    `after ${first / secondMs} and ${second / secondMs} seconds, ${third / minuteMs} and ${fourth / minuteMs} minutes`,
  ],
  'docs/operating.md': [
    `for ${smallNumber(mostPhotos)} of the customer and ${smallNumber(mostPhotos)} of yours`,
    `for ${photoLimit.photos} a day from one address`,
    `at ${photoUpload.leastBytesPerS / 1e3} kB/s and take ${durationInWords(photoUpload.longestMs)}`,
    `${smallNumber(uploadsAtOnce.perAddress)} at a time from one address`,
    `\`Idempotency-Key\`, for ${durationInWords(keyKeptMs)}`,
    `for up to ${mostANight} leads`,
    `a request within ${requestTimeoutMs / secondMs} s`,
    `of its answers for ${readTimeoutMs / secondMs} s`,
    `may have ${clientLimits.perAddress} connections, open ${clientLimits.perAddress} in a second and have ${clientLimits.perAddress} requests`,
  ],
}

/** These have the number of a limit by chance, and do not depend on it. */
const chance = [
  'say it in the first ten minutes',
  "I'll answer within 30 days",
  'is notified within ten minutes',
  'spam after 30 days',
  'the start waits ten seconds',
  'a period of one minute',
]

test('guides say the limits that the code has', () => {
  const wrong = Object.entries(said).flatMap(([file, sentences]) => {
    const text = readFileSync(file, 'utf8')
    return sentences
      .filter((sentence) => !text.includes(sentence))
      .map((each) => `${file}: ${each}`)
  })
  assert.deepEqual(wrong, [])
})

test('a guide or page that says a limit is compared with it', () => {
  const amounts = [...amountsOf(limits)].join('|')
  const pages = '{content,packaging/site/content}/pages/*.md'
  const files = globSync(['{README,CONTRIBUTING}.md', 'docs/*.md', pages])
  // `npm run format` writes the settings from the code.
  const typed = files
    .filter((file) => file !== 'docs/settings.md')
    .flatMap((file) => {
      const compared = [...(said[file] ?? []), ...chance]
      const rest = compared.reduce(
        (text, each) => text.replaceAll(each, ''),
        readFileSync(file, 'utf8'),
      )
      const found = rest.matchAll(new RegExp(`.{0,40}\\b(?:${amounts})\\b.{0,20}`, 'gi'))
      return [...found].map(([words]) => `${file}: ${words}`)
    })
  assert.deepEqual(typed, [])
})

/** "ten minutes" and "10 minutes" for each time among the limits. */
function* amountsOf(value: unknown, name = ''): Generator<string> {
  if (typeof value === 'object') {
    for (const [key, part] of Object.entries(value!)) {
      yield* amountsOf(part, name.endsWith('Ms') ? name : key)
    }
  } else if (name.endsWith('Ms')) {
    const words = durationInWords(Number(value))
    const [number = '', unit = ''] = words.split(' ')
    yield words
    yield `${['no', ...small].indexOf(number)} ${unit}`
  }
}

test('a sentence of the code takes its numbers from the code', () => {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  const typed = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => !isComment.test(line) && amount.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
  assert.deepEqual(typed, [])
})

const small = 'one two three four five six seven eight nine ten'.split(' ')
const isComment = /^\s*(?:\*|\/\*|\/\/|--)/
const number = `(?:[2-9]|\\d[\\d,]+|${small.slice(1).join('|')}|twenty|thirty|fifty|sixty)`
const times = 'seconds|minutes|hours|days|weeks'
const sizes = 'characters|bytes|[KM]i?B|kB'
const counts = 'times|tries|links|leads|requests|emails|photos|fields'
/** A number with a unit, in a string. */
const amount = new RegExp(`['"\`>].*\\b${number} (?:${times}|${sizes}|${counts})\\b`, 'i')
