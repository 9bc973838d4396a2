/**
 * The fields of a Consultation request. The form, the checks, the API description, the tool schema
 * and the command-line options are all derived from these rows.
 */
export type Field = {
  /** Its name in every request. */
  readonly name: string
  /** Its name inside the service, and its database column. */
  readonly key: string
  readonly label: string
  readonly description: string
  readonly example: string
  readonly required: boolean
  /** In Unicode code points, counted after normalisation. */
  readonly maxLength: number
  readonly format?: 'email'
  /** All but `textarea` are one line: see `isOneLine`. */
  readonly input: 'text' | 'email' | 'tel' | 'textarea'
  readonly autocomplete: string
}

/** Line breaks and tabs in its value become spaces. */
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
    format: 'email',
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
    example: 'A hardwood deck of about 4 by 6 metres, one step up from the lawn.',
    required: false,
    maxLength: 10_000,
    input: 'textarea',
    // With `off` a browser that goes back restores nothing of a typed text.
    autocomplete: 'on',
  },
] as const satisfies readonly Field[]

export type FieldKey = (typeof fields)[number]['key']
export type FieldValues = Record<FieldKey, string>

export const fieldKeys: readonly FieldKey[] = fields.map(({ key }) => key)

/** The honeypot. */
export const trapName = 'botcheck'

/** In a body: the form's hidden nonce, or the caller's key. The header takes precedence. */
export const keyName = 'idempotency_key'

/**
 * One address: the HTML rule for `type=email`, and also no leading, trailing or doubled dot, a dot
 * in the domain, and a top level that starts with a letter. No repeated class can match the
 * character after it, so it runs in linear time.
 */
export const emailPattern =
  "^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-]+)*" +
  '@(?:[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?$'

const email = new RegExp(emailPattern)
const { maxLength: maxEmailLength } = fields.find(({ key }) => key === 'email')!

/** For addresses of the business; a lead's own is checked with its field. */
export function isEmail(text: string): boolean {
  return text.length <= maxEmailLength && email.test(text)
}
