/** The fields of a request. Forms, checks, schemas, tools and command-line options are derived from them. */
export type Field = {
  readonly name: string
  /** The name inside the service and of the database column: see `Keyed`. */
  readonly key: string
  readonly label: string
  /** How the inbox, the emails and the files of the owner name it. */
  readonly ownerLabel: string
  readonly description: string
  readonly example: string
  readonly required: boolean
  /** In Unicode code points, counted after normalisation. */
  readonly maxLength: number
  readonly input: 'text' | 'email' | 'tel' | 'textarea'
  /** Never `off`: browsers would not restore the typed text when a person goes back to the form. */
  readonly autocomplete: 'on' | 'name' | 'email' | 'tel' | 'postal-code' | 'address-level2'
  /** What the form of the website says below the label. */
  readonly hint?: string
  /** What the form says if a required field is empty. */
  readonly whenMissing?: string
  /** Attributes that choose the keyboard of a phone. */
  readonly keyboard?: Readonly<Record<string, string>>
  /** Half as wide as the form. */
  readonly isHalf?: true
}

export function isOneLine({ input }: Pick<Field, 'input'>): boolean {
  return input !== 'textarea'
}

export const fields = [
  {
    name: 'name_1',
    key: 'name',
    label: 'Your name',
    ownerLabel: 'Name',
    description: 'Full name of the person requesting a Consultation.',
    example: 'Robin Example',
    required: true,
    maxLength: 200,
    input: 'text',
    autocomplete: 'name',
    whenMissing: 'Please tell me your name.',
    keyboard: { autocapitalize: 'words', spellcheck: 'false' },
  },
  {
    name: 'email_1',
    key: 'email',
    label: 'Email',
    ownerLabel: 'Email',
    description: 'Contact email. Must be a valid email address.',
    example: 'robin@example.com',
    required: true,
    maxLength: 254,
    input: 'email',
    autocomplete: 'email',
    hint: "I'll reply to this address.",
    whenMissing: 'Please add your email address, so that I can reply to you.',
    keyboard: { spellcheck: 'false' },
  },
  {
    name: 'phone_1',
    key: 'phone',
    label: 'Phone',
    ownerLabel: 'Phone',
    description: 'Contact phone.',
    example: '0491 570 156',
    required: false,
    maxLength: 40,
    input: 'tel',
    autocomplete: 'tel',
    hint: 'If you would rather talk.',
    isHalf: true,
  },
  {
    name: 'text_1',
    key: 'postcode',
    label: 'Postcode',
    ownerLabel: 'Postcode',
    description: 'Postcode.',
    example: '2480',
    required: false,
    // The name of a town is welcome, too, where areas have no postcodes.
    maxLength: 16,
    input: 'text',
    autocomplete: 'postal-code',
    hint: 'Tells me how far away you are.',
    keyboard: { inputmode: 'numeric' },
    isHalf: true,
  },
  {
    name: 'textarea_1',
    key: 'message',
    label: 'Your project',
    ownerLabel: 'Message',
    description: 'Project message / notes.',
    example: 'A hardwood deck of about 3 by 2 metres, one step up from the lawn.',
    required: false,
    maxLength: 10_000,
    input: 'textarea',
    autocomplete: 'on',
    hint: 'Where it goes, roughly how big, steps, shade: whatever you know so far. A few words will do.',
  },
] as const satisfies readonly Field[]

type FieldRow = (typeof fields)[number]
export type FieldKey = FieldRow['key']
export type FieldValues = Record<FieldKey, string>

export const fieldKeys: readonly Keyed<FieldKey>[] = fields.map(({ key }) => key)

/** A key is a column: `best_time`. The line above does not compile with `bestTime` or `best-time`. */
type Keyed<Key extends string> = Key extends string
  ? Letters<Key> extends Letters<'abcdefghijklmnopqrstuvwxyz_'>
    ? Key
    : 'a key has a-z and _ only'
  : never

type Letters<Text extends string> = Text extends `${infer First}${infer Rest}`
  ? First | Letters<Rest>
  : never

export const longestEmail = fieldOf('email').maxLength
export const phoneField = fieldOf('phone')
export const postcodeField = fieldOf('postcode')
export const messageField = fieldOf('message')

/** Everything but the message, which has a place of its own on each page of the owner. */
export type PersonKey = Exclude<FieldKey, 'message'>
export const personFields = fields.filter(
  (field): field is Extract<FieldRow, { key: PersonKey }> => field !== messageField,
)

function fieldOf<Key extends FieldKey>(key: Key): Extract<FieldRow, { key: Key }> {
  return fields.find((field) => field.key === key) as Extract<FieldRow, { key: Key }>
}

const requiredFields = fields.filter(({ required }) => required)

/** The shortest request that is valid. */
export const exampleRequest = Object.fromEntries(
  requiredFields.map(({ name, example }) => [name, example]),
)

/** "name_1 and a valid email_1". */
export function requiredInWords(quote = ''): string {
  const names = requiredFields.map(({ name, input }) => {
    return `${input === 'email' ? 'a valid ' : ''}${quote}${name}${quote}`
  })
  return names.join(' and ')
}

/** The owner sees these first, because most owners call. */
export function isForCall({ key }: { key: string }): boolean {
  return key === 'name' || key === 'phone'
}

/** The option of the command `consult`: "best-time" for the key "best_time". */
export function optionOf({ key }: Field): string {
  return key.replaceAll('_', '-')
}

/** A hidden field that only bots fill in (honeypot). */
export const trapName = 'botcheck'

/** The header Idempotency-Key takes precedence over this field. */
export const keyName = 'idempotency_key'

/** Matching takes linear time: every repetition is bounded, or can match a text in only one way. */
export const emailPattern =
  "^(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\-]+)*" +
  '@(?:[A-Za-z0-9](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z](?:[A-Za-z0-9\\-]{0,61}[A-Za-z0-9])?$'

const email = new RegExp(emailPattern)
const { maxLength: maxEmailLength } = fieldOf('email')

export function isEmail(text: string): boolean {
  return text.length <= maxEmailLength && email.test(text)
}

/** How leads are written into a file. */
export const exportFormats = ['jsonl', 'json', 'csv'] as const
export type ExportFormat = (typeof exportFormats)[number]
