/** Reads content/business.yaml and reports what is missing or misspelled in it. */
import { readFileSync } from 'node:fs'
import { days } from '../contract/business.ts'
import type { Business } from '../contract/business.ts'
import { isEmail } from '../contract/fields.ts'
import { noticeKinds } from '../contract/notices.ts'
import { ContentFault, lineAt } from './fault.ts'
import { readYaml } from './yaml.ts'

export function readBusiness(file: string): Business {
  const source = readFileSync(file, 'utf8')
  const value = readYaml(source, file)
  const [problem] = business(value, [])
  if (problem === undefined) return value as Business
  throw new ContentFault(
    file,
    lineOf(source, problem.at),
    `${problem.at.join('.')} ${problem.what}`,
  )
}

type Problem = { at: readonly string[]; what: string }
type Check = (value: unknown, at: readonly string[]) => Problem[]

const text = check('must be a text', (value) => typeof value === 'string' && value.trim() !== '')
const yesOrNo = check('must be true or false', (value) => typeof value === 'boolean')
const email = check('must be an email address', (value) => {
  return typeof value === 'string' && isEmail(value)
})
const time = matching(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as "07:00", in quotes')
const postcode = matching(/^\d{4}$/, 'must be four digits, in quotes')
const day = check(`must be one of ${days.join(', ')}`, (value) =>
  (days as readonly unknown[]).includes(value),
)
const label = matching(/^[a-z][a-z0-9-]{0,30}$/, 'must be short: small letters, digits, hyphens')
const address = matching(/^https?:\/\/\S+$/, 'must be an address such as https://example.com/leads')
const variable = matching(/^[A-Z][A-Z0-9_]*$/, 'must be a name such as CRM_WEBHOOK_SECRET')
const event = check(`must be one of ${noticeKinds.join(', ')}`, (value) =>
  (noticeKinds as readonly unknown[]).includes(value),
)
const timeZone = check('must be a time zone such as Australia/Sydney', (value) => {
  try {
    return typeof value === 'string' && Boolean(new Intl.DateTimeFormat('en', { timeZone: value }))
  } catch {
    return false
  }
})

const business = shape({
  name: text,
  owner: text,
  summary: text,
  region: text,
  state: text,
  timeZone,
  areas: listOf(shape({ name: text, postcodes: listOf(postcode) })),
  hours: listOf(shape({ days: listOf(day), opens: time, closes: time })),
  does: listOf(text),
  doesNot: listOf(text),
  contact: shape({ phone: text, email }),
  privacy: shape({ email }),
  security: shape({ email }),
  crawlers: shape({ search: yesOrNo, aiInput: yesOrNo, aiTrain: yesOrNo }),
  webhooks: optional(
    listOf(shape({ name: label, url: address, events: optional(listOf(event)), secret: variable })),
  ),
} satisfies Record<keyof Business, Check>)

function check(what: string, isRight: (value: unknown) => boolean): Check {
  return (value, at) => {
    if (value === undefined) return [{ at, what: 'is missing' }]
    return isRight(value) ? [] : [{ at, what }]
  }
}

function optional(inner: Check): Check {
  return (value, at) => (value === undefined ? [] : inner(value, at))
}

function matching(pattern: RegExp, what: string): Check {
  return check(what, (value) => typeof value === 'string' && pattern.test(value))
}

function listOf(each: Check): Check {
  const whole = check('must be a list with at least one entry', (value) => {
    return Array.isArray(value) && value.length > 0
  })
  return (value, at) => {
    const problems = whole(value, at)
    if (problems.length > 0) return problems
    return (value as unknown[]).flatMap((item, index) => each(item, [...at, String(index + 1)]))
  }
}

function shape(rows: Readonly<Record<string, Check>>): Check {
  const whole = check('must be a group of entries', (value) => {
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  })
  return (value, at) => {
    const problems = whole(value, at)
    if (problems.length > 0) return problems
    const found = value as Record<string, unknown>
    const unknown = Object.keys(found).filter((key) => !Object.hasOwn(rows, key))
    return [
      ...Object.entries(rows).flatMap(([key, inner]) => inner(found[key], [...at, key])),
      ...unknown.map((key) => ({ at: [...at, key], what: 'is not a known entry' })),
    ]
  }
}

/** The line of the innermost entry that exists. */
function lineOf(source: string, at: readonly string[]): number {
  let from = 0
  for (const key of at.filter((part) => !/^\d+$/.test(part))) {
    const found = new RegExp(`^[ -]*${key}:`, 'm').exec(source.slice(from))
    if (found === null) break
    from += found.index + found[0].length
  }
  return lineAt(source, from)
}
