/** The phone number as a link: alone, with the opening hours, or beside the button to the form. */
import type { Business } from '../contract/business.ts'
import { contactPath } from '../contract/routes.ts'
import { html, type Html } from '../html.ts'
import { hoursInWords, type Hours } from '../time.ts'
import { markdownList, type PageBlock } from './markdown.ts'

export function phoneLink({ contact: { phone } }: Business): Html {
  return html`<a href="tel:${dialled(phone)}">${phone}</a>`
}

export function dialled(phone: string): string {
  return phone.replaceAll(/[^+\d]/g, '')
}

/** "0491 570 006 Mon–Fri 7 am to 4:30 pm" */
export function phoneAndHours(business: Business): Html {
  const last = business.hours.length - 1
  const hours = business.hours
    .map(shortHours)
    .map((each, index) => html`<span>${each}${index < last ? ', ' : ''}</span>`)
  return html`${phoneLink(business)} <span class="hours">${hours}</span>`
}

/** The block `{{ask}}` of a page. `askParagraph` must have the same words. */
export function askBlock(business: Business): PageBlock {
  const { phone } = business.contact
  return {
    markdown: `[${askWordsOf(business)}](${contactPath}) or ring [${phone}](tel:${dialled(phone)}) ${hoursInShort(business)}`,
    html: askParagraph(business).text,
  }
}

export function askParagraph(business: Business, words = askWordsOf(business)): Html {
  const link = html`<a class="button" href="${contactPath}">${words}</a>`
  const ring = html`<span class="ring">or ring ${phoneAndHours(business)}</span>`
  return html`<p class="action">${link} ${ring}</p>`
}

function askWordsOf({ asksFor }: Business): string {
  return `Ask for ${asksFor.one}`
}

/** `{{ring}}`, at the top of the contact page. */
export function ringBlock(business: Business): PageBlock {
  const hours = business.hours.map((each) => hoursInWords(each))
  const lines = hours.map(({ days, times }) => `${days}, ${times}`)
  return {
    markdown: `Rather talk? Ring ${business.contact.phone}:\n\n${markdownList(lines)}`,
    html: html`<div class="talk">
<h2>Rather talk?</h2>
<p>${phoneLink(business)}</p>
<ul class="plain">
${lines.map((line) => html`<li>${line}</li>`)}</ul>
</div>`.text,
  }
}

/** "Mon–Fri 7 am to 4:30 pm, Sat 8 am to noon" */
export function hoursInShort({ hours }: Business): string {
  return hours.map(shortHours).join(', ')
}

function shortHours(hours: Hours): string {
  const { days, times } = hoursInWords(hours, true)
  return `${days} ${times}`.trim()
}
