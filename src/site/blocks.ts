/** Block placeholders such as `{{hours}}`: lists and tables from the contract and the business. */
import { days } from '../contract/business.ts'
import type { Business, Day } from '../contract/business.ts'
import { documentsForAgents } from '../contract/documents.ts'
import { fields, trapName } from '../contract/fields.ts'
import { inThousands } from '../contract/limits.ts'
import { routes } from '../contract/routes.ts'
import { cards } from './cards.ts'
import type { Card } from './cards.ts'
import type { PageBlock, FindBlock } from './placeholders.ts'
import { slotMark } from './slots.ts'
import { list, table } from './write-markdown.ts'

export function createBlocks(
  business: Business,
  cardOf: (page: string) => Card | undefined,
): FindBlock {
  const fixed: Readonly<Record<string, PageBlock>> = {
    form: { markdown: howToSend(), html: slotMark('form') },
    reference: {
      markdown:
        'Your reference is shown to the browser that sent the request. An agent finds it in the answer, as `reference`.',
      html: slotMark('reference'),
    },
    does: { markdown: list(business.does) },
    'does-not': { markdown: list(business.doesNot) },
    areas: {
      markdown: table(
        ['Area', 'Postcodes'],
        business.areas.map(({ name, postcodes }) => [name, postcodes.join(', ')]),
      ),
    },
    hours: {
      markdown: table(
        ['Days', 'Hours'],
        business.hours.map(({ days: open, opens, closes }) => [
          daysInWords(open),
          `${toClock(opens)} to ${toClock(closes)}`,
        ]),
      ),
    },
    fields: { markdown: fieldTable() },
    documents: {
      markdown: `${documentsForAgents.map(({ path, title }) => `[${title}](${path})`).join(', ')}.`,
    },
  }
  return (name, argument) => {
    if (name === 'cards') return cards(argument, cardOf)
    return argument === '' && Object.hasOwn(fixed, name) ? fixed[name] : undefined
  }
}

function howToSend(): string {
  return [
    `Send \`POST ${routes.lead.path}\` as JSON or as a form, with these fields:`,
    '',
    fieldTable(),
    '',
    'The API description has every detail: [openapi.json](/openapi.json).',
  ].join('\n')
}

function fieldTable(): string {
  const rows = fields.map(({ name, required, maxLength, description }) => [
    `\`${name}\``,
    required ? 'required' : 'optional',
    inThousands(maxLength),
    description,
  ])
  const trap = [`\`${trapName}\``, 'leave it out', '0', 'A trap for bots.']
  return table(['Field', 'Needed', 'Longest', 'Meaning'], [...rows, trap])
}

/** "Monday to Friday" for consecutive days. */
function daysInWords(open: readonly Day[]): string {
  const places = open.map((day) => days.indexOf(day))
  const isRun = places.every((place, index) => place === places[0]! + index)
  if (isRun && open.length > 2) return `${open[0]} to ${open.at(-1)}`
  return open.join(', ')
}

/** "16:30" becomes "4:30 pm". */
function toClock(time: string): string {
  if (time === '12:00') return 'noon'
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const twelve = hour % 12 === 0 ? 12 : hour % 12
  const minutes = minute === 0 ? '' : `:${String(minute).padStart(2, '0')}`
  return `${twelve}${minutes} ${hour < 12 ? 'am' : 'pm'}`
}
