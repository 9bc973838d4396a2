/** The phone number as a link, with the hours beside it, and the call to action it stands in. */
import { days as week, type Business, type Day, type Hours } from '../contract/business.ts'
import { contactPath } from '../contract/routes.ts'
import { html, type Html } from '../html.ts'
import type { PageBlock } from './markdown.ts'
import { list } from './write-markdown.ts'

type Reachable = Pick<Business, 'contact' | 'hours'>

export function phoneLink({ contact: { phone } }: Pick<Business, 'contact'>): Html {
  return html`<a href="tel:${dialled(phone)}">${phone}</a>`
}

/** As a phone dials it: digits, and a plus before them. */
export function dialled(phone: string): string {
  return phone.replaceAll(/[^+\d]/g, '')
}

/** In one line of small print: "0491 570 006 Mon–Fri 7 am to 4:30 pm". */
export function phoneAndHours(business: Reachable): Html {
  const last = business.hours.length - 1
  const hours = shortHours(business.hours).map(
    (each, index) => html`<span>${each}${index < last ? ', ' : ''}</span>`,
  )
  return html`${phoneLink(business)} <span class="hours">${hours}</span>`
}

/** `{{ask}}`: the button, and the phone for those who would rather talk. */
export function askBlock(business: Reachable): PageBlock {
  return {
    markdown: `[${askWords}](${contactPath}), or ring ${business.contact.phone} (${shortHours(business.hours).join(', ')}).`,
    html: askParagraph(business).text,
  }
}

export function askParagraph(business: Reachable, words = askWords): Html {
  return html`<p class="action"><a class="button" href="${contactPath}">${words}</a> <span class="ring">or ring ${phoneAndHours(business)}</span></p>`
}

const askWords = 'Ask for a Consultation'

/** `{{ring}}`: the number at the top of the contact page. */
export function ringBlock(business: Reachable): PageBlock {
  const hours = hoursInWords(business.hours)
  return {
    markdown: `Rather talk? Ring ${business.contact.phone}:\n\n${list(hours.map(({ days, times }) => `${days}, ${times}`))}`,
    html: html`<div class="talk">
<h2>Rather talk?</h2>
<p>${phoneLink(business)}</p>
<ul class="plain">
${hours.map(({ days, times }) => html`<li>${days}, ${times}</li>`)}</ul>
</div>`.text,
  }
}

/** "Monday to Friday" and "7 am to 4:30 pm". */
export function hoursInWords(hours: readonly Hours[]): { days: string; times: string }[] {
  return hours.map(({ days: open, opens, closes }) => ({
    days: isRun(open) ? `${open[0]} to ${open.at(-1)}` : open.join(', '),
    times: `${toClock(opens)} to ${toClock(closes)}`,
  }))
}

/** "Mon–Fri 7 am to 4:30 pm", one for each entry: as short as it can be said. */
function shortHours(hours: readonly Hours[]): string[] {
  return hours.map(({ days: open, opens, closes }) => {
    const short = open.map((day) => day.slice(0, 3))
    const days = isRun(open) ? `${short[0]}–${short.at(-1)}` : short.join(', ')
    return `${days} ${toClock(opens)} to ${toClock(closes)}`
  })
}

/** Three days or more that follow each other. */
function isRun(open: readonly Day[]): boolean {
  const places = open.map((day) => week.indexOf(day))
  return open.length > 2 && places.every((place, index) => place === places[0]! + index)
}

/** "16:30" becomes "4:30 pm". */
function toClock(time: string): string {
  if (time === '12:00') return 'noon'
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const twelve = hour % 12 === 0 ? 12 : hour % 12
  const minutes = minute === 0 ? '' : `:${String(minute).padStart(2, '0')}`
  return `${twelve}${minutes} ${hour < 12 ? 'am' : 'pm'}`
}
