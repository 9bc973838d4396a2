/** "Does he come to me?": the box for a postcode or town, and the answer to it. */
import { areaOf, listsPostcodes, type Business } from '../contract/business.ts'
import { countryOf, toPostcode } from '../contract/country.ts'
import { postcodeField, type Field } from '../contract/fields.ts'
import { comePath } from '../contract/routes.ts'
import { wordsOf } from '../contract/wording.ts'
import { html, type Html } from '../html.ts'
import { toPlain } from '../words.ts'
import type { PageBlock } from './markdown.ts'

/** `isWrong`: what was typed is neither a postcode nor a name. */
export type ComeAnswer = { typed: string; words: string; isWrong: boolean }

export function answerCome(typed: string, business: Business): ComeAnswer {
  const { areas, country } = business
  const area = areaOf(typed, areas)
  if (area !== undefined) return { typed, words: `Yes, I come to ${area}.`, isWrong: false }
  const isPostcode = countryOf(country).postcode.test(toPostcode(typed))
  if (isPostcode && listsPostcodes(areas)) {
    return { typed, words: farAway('postcode'), isWrong: false }
  }
  if (isPartOf(typed, business.region)) return { typed, words: whichPart(business), isWrong: false }
  if (/\p{L}{2}/u.test(typed)) return { typed, words: farAway('town'), isWrong: false }
  return { typed, words: unclear(business), isWrong: true }
}

/** Whether somebody typed the region, or a few words of it: the town whose parts are the areas. */
function isPartOf(typed: string, region: string): boolean {
  const words = toPlain(typed)
  return words.length > 3 && ` ${toPlain(region)} `.includes(` ${words} `)
}

function whichPart(business: Business): string {
  const postcode = listsPostcodes(business.areas)
    ? `your postcode, such as ${postcodeExampleOf(business)}, or `
    : ''
  return `I work in ${business.region}. Which part are you in? Please type ${postcode}your town or suburb.`
}

function farAway(what: 'postcode' | 'town'): string {
  return `This ${what} is not on my list. Ask anyway and name your town. If it's too far for me to do the work well, I will say so.`
}

function unclear(business: Business): string {
  if (!listsPostcodes(business.areas)) return 'Please type your town.'
  const { ask } = countryOf(business.country)
  return `Please type your postcode, ${ask} ${postcodeExampleOf(business)}, or your town.`
}

function postcodeExampleOf(business: Business): string {
  return wordsOf(business)<string>(postcodeField.example)
}

/** The block `{{come}}` of a page. */
export function comeBlock(business: Business): PageBlock {
  return { markdown: howToAsk(business), html: comeForm(business).text }
}

function howToAsk({ areas }: Business): string {
  const what = listsPostcodes(areas) ? 'postcode or town' : 'town'
  return `To ask whether I come to a place, send \`POST ${comePath}\` as a form with the ${what} in \`${postcodeField.name}\`.`
}

/** `undefined`: nothing was asked yet. */
export function comeForm(business: Business, answer?: ComeAnswer): Html {
  const { name } = postcodeField
  const wrong = answer?.isWrong ? html` aria-invalid="true" aria-describedby="answer"` : ''
  const input = html`<input
  id="${name}" name="${name}" type="text" value="${answer?.typed ?? ''}"
  autocomplete="${placeToFillIn(business)}" required${wrong}>`
  return html`${answer ? shownAnswer(answer) : ''}<form class="come" method="post" action="${comePath}">
<label for="${name}">${listsPostcodes(business.areas) ? 'Your postcode or town' : 'Your town'}</label>
${input}
<button class="quiet" type="submit">Do I come to you?</button>
</form>`
}

/** What a browser fills in: a postcode, or a town where no area lists postcodes. */
export function placeToFillIn({ areas }: Business): Field['autocomplete'] {
  return listsPostcodes(areas) ? postcodeField.autocomplete : 'address-level2'
}

function shownAnswer({ words, isWrong }: ComeAnswer): Html {
  return html`<p class="${isWrong ? 'problem' : 'answer'}" id="answer" role="status">${words}</p>
`
}

export function comeInMarkdown(business: Business, answer?: ComeAnswer): string {
  return answer?.words ?? howToAsk(business)
}
