/**
 * The fields of a Consultation request. The form, the checks, the API description, the tool schema
 * and the command-line options are all derived from these rows.
 */
export type Field = {
  /** Name of the field in every request. */
  readonly name: string
  /** Name of the field inside the service and of its database column. */
  readonly key: string
  readonly label: string
  readonly description: string
  readonly example: string
  readonly required: boolean
  /** In Unicode code points, counted after normalisation. */
  readonly maxLength: number
  /** Inputs other than `textarea` hold one line: see `isOneLine`. */
  readonly input: 'text' | 'email' | 'tel' | 'textarea'
  readonly autocomplete: string
}

/** Whether the field holds one line. In such a field, line breaks and tabs become spaces. */
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
    example: 'A hardwood deck of about 4 by 6 metres, one step up from the lawn.',
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

/** The honeypot: a hidden field that only bots fill in. */
export const trapName = 'botcheck'

/** The body's field for the idempotency key. In the form it holds a hidden nonce. The header Idempotency-Key takes precedence over it. */
export const keyName = 'idempotency_key'

/**
 * Matches one address by the HTML rule for `type=email`. Also forbids a leading, trailing or doubled
 * dot, and demands a dot in the domain and a top level that starts with a letter. No repeated part can
 * match the character after it, so matching takes linear time.
 */
export const emailPattern =
  "^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-]+)*" +
  '@(?:[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?$'

const email = new RegExp(emailPattern)
const { maxLength: maxEmailLength } = fields.find(({ key }) => key === 'email')!

export function isEmail(text: string): boolean {
  return text.length <= maxEmailLength && email.test(text)
}
