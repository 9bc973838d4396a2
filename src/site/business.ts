/** Reads and checks content/business.yaml. */
import type { Business } from '../contract/business.ts'
import { isEmail } from '../contract/fields.ts'
import { noticeKinds } from '../contract/notices.ts'
import { days } from '../time.ts'
import {
  andThen,
  check,
  listOf,
  matching,
  oneOf,
  optional,
  readShaped,
  shape,
  prose,
  type ShapeCheck,
} from './yaml.ts'

export function readBusiness(file: string): Business {
  return readShaped(file, business) as Business
}

const yesOrNo = check('must be true or false', (value) => typeof value === 'boolean')
const email = check('must be an email address', (value) => {
  return typeof value === 'string' && isEmail(value)
})
/** Four digits are enough, because some phone numbers have letters, such as 1300 DECKS. */
const phone = matching(/^(?:\D*\d){4}/, "must be a phone number such as '0491 570 006', in quotes")
const time = matching(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as "07:00", in quotes')
const postcode = matching(/^\d{4}$/, 'must be four digits, in quotes')
const day = oneOf(days)
const label = matching(/^[a-z][a-z0-9-]{0,30}$/, 'must be short: small letters, digits, hyphens')
const address = matching(/^https?:\/\/\S+$/, 'must be an address such as https://example.com/leads')
const variable = matching(/^[A-Z][A-Z0-9_]*$/, 'must be a name such as CRM_WEBHOOK_SECRET')
const event = oneOf(noticeKinds)
const year = matching(/^\d{4}$/, 'must be a year of four digits, in quotes')
const abn = matching(/^\d{2}(?: ?\d{3}){3}$/, 'must be an ABN of 11 digits, in quotes')
const timeZone = check('must be a time zone such as Australia/Sydney', (value) => {
  try {
    return typeof value === 'string' && Boolean(new Intl.DateTimeFormat('en', { timeZone: value }))
  } catch {
    return false
  }
})

const business = shape({
  name: prose,
  owner: prose,
  summary: prose,
  region: prose,
  state: prose,
  timeZone,
  areas: listOf(shape({ name: prose, postcodes: listOf(postcode) })),
  hours: listOf(openHours(shape({ days: listOf(day), opens: time, closes: time }))),
  answers: optional(prose),
  does: listOf(prose),
  doesNot: listOf(prose),
  contact: shape({ phone, email }),
  since: optional(year),
  abn: optional(abn),
  insurance: optional(prose),
  privacy: shape({ email }),
  security: shape({ email }),
  crawlers: shape({ search: yesOrNo, aiInput: yesOrNo, aiTrain: yesOrNo }),
  replies: optional(listOf(shape({ title: prose, text: prose }))),
  webhooks: optional(
    namedOnce(
      shape({ name: label, url: address, events: optional(listOf(event)), secret: variable }),
    ),
  ),
} satisfies Record<keyof Business, ShapeCheck>)

function openHours(each: ShapeCheck): ShapeCheck {
  return andThen(each, ({ opens, closes }: { opens: string; closes: string }, at) => {
    const what = 'must be later than opens, and before midnight'
    return closes > opens ? [] : [{ at: [...at, 'closes'], what }]
  })
}

/** If two webhooks had the same name, one of them would get the deliveries of both. */
function namedOnce(each: ShapeCheck): ShapeCheck {
  return andThen(listOf(each), (webhooks: { name: string }[], at) => {
    const names = webhooks.map(({ name }) => name)
    return names.flatMap((name, index) => {
      const first = names.indexOf(name)
      const what = `is taken by entry ${first + 1}: each webhook needs its own`
      return first === index ? [] : [{ at: [...at, index, 'name'], what }]
    })
  })
}
