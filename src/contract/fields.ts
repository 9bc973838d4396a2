/** The fields of a request. Forms, checks, schemas, tools and command-line options are derived from them. */
export type Field = {
  readonly name: string
  /** The name inside the service and of the database column. */
  readonly key: string
  readonly label: string
  readonly description: string
  readonly example: string
  readonly required: boolean
  /** In Unicode code points, counted after normalisation. */
  readonly maxLength: number
  readonly input: 'text' | 'email' | 'tel' | 'textarea'
  readonly autocomplete: string
}

export function isOneLine({ input }: Pick<Field, 'input'>): boolean {
  return input !== 'textarea'
}

export const fields = [
  {
    name: 'name_1',
    key: 'name',
    label: 'Your name',
    description: 'Full name of the person requesting a Consultation.',
    example: 'Robin Example',
    required: true,
    maxLength: 200,
    input: 'text',
    autocomplete: 'name',
  },
  {
    name: 'email_1',
    key: 'email',
    label: 'Email',
    description: 'Contact email. Must be a valid email address.',
    example: 'robin@example.com',
    required: true,
    maxLength: 254,
    input: 'email',
    autocomplete: 'email',
  },
  {
    name: 'phone_1',
    key: 'phone',
    label: 'Phone',
    description: 'Contact phone.',
    example: '0491 570 156',
    required: false,
    maxLength: 40,
    input: 'tel',
    autocomplete: 'tel',
  },
  {
    name: 'text_1',
    key: 'postcode',
    label: 'Postcode',
    description: 'Postcode.',
    example: '2480',
    required: false,
    maxLength: 16,
    input: 'text',
    autocomplete: 'postal-code',
  },
  {
    name: 'textarea_1',
    key: 'message',
    label: 'Your project',
    description: 'Project message / notes.',
    example: 'A hardwood deck of about 3 by 2 metres, one step up from the lawn.',
    required: false,
    maxLength: 10_000,
    input: 'textarea',
    // With `off`, browsers do not restore the typed text when a person goes back to the form.
    autocomplete: 'on',
  },
] as const satisfies readonly Field[]

export type FieldKey = (typeof fields)[number]['key']
export type FieldValues = Record<FieldKey, string>

export const fieldKeys: readonly FieldKey[] = fields.map(({ key }) => key)

export const postcodeField = fields.find(({ key }) => key === 'postcode')!
export const messageField = fields.find(({ key }) => key === 'message')!

/** A hidden field that only bots fill in (honeypot). */
export const trapName = 'botcheck'

/** The header Idempotency-Key takes precedence over this field. */
export const keyName = 'idempotency_key'

/** Matching takes linear time: every repetition is bounded, or can match a text in only one way. */
export const emailPattern =
  "^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-]+)*" +
  '@(?:[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?$'

const email = new RegExp(emailPattern)
const { maxLength: maxEmailLength } = fields.find(({ key }) => key === 'email')!

export function isEmail(text: string): boolean {
  return text.length <= maxEmailLength && email.test(text)
}
