/** The first content of a site: short pages that are true for any trade, from six answers. */
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { countryCodes, countryOf } from '../contract/country.ts'
import { isCountry } from '../contract/phone.ts'
import { CommandFailed, type Shell } from './shell.ts'

const starter = fileURLToPath(new URL('../../packaging/site/content', import.meta.url))

export type Answers = Record<keyof typeof questions, string>

type Question = { readonly asks: string; readonly read: (typed: string) => string | undefined }

const line = (typed: string) => typed.replaceAll(/[\s{}]+/g, ' ').trim() || undefined

/** In the order in which they are asked. Each is an option of the command, too. */
export const questions = {
  name: { asks: 'The name of the business', read: line },
  owner: { asks: 'Your first name', read: line },
  trade: {
    asks: 'Your trade, as in "I am a ..." (plumber, piano tuner)',
    read: (typed) => line(typed)?.replace(/^an? /i, ''),
  },
  country: { asks: 'Your country, in two letters (AU, GB, NZ, IE, US, CA, ZA)', read: readCountry },
  town: { asks: 'Where you work, as you say it after "in" (Bristol)', read: line },
  phone: {
    asks: 'Your phone number, as people dial it',
    read: (typed) => (/(?:\D*\d){4}/.test(typed) ? line(typed) : undefined),
  },
} as const satisfies Record<string, Question>

/** Two letters, or the name of a country whose postcodes are known: New Zealand. */
function readCountry(typed: string): string | undefined {
  const code = typed.trim().toUpperCase()
  if (['UK', 'BRITAIN', 'GREAT BRITAIN', 'ENGLAND', 'SCOTLAND', 'WALES'].includes(code)) return 'GB'
  const names = new Intl.DisplayNames('en', { type: 'region' })
  const named = countryCodes.find((each) => names.of(each)?.toUpperCase() === code)
  return named ?? (isCountry(code) ? code : undefined)
}

/** Asks for what was not `given`, or says which options are missing where nobody can be asked. */
export async function readAnswers(given: Partial<Answers>, ask?: Shell['ask']): Promise<Answers> {
  const all = Object.entries(questions) as [keyof Answers, Question][]
  const missing = all.filter(([key]) => given[key] === undefined).map(([key]) => `--${key}`)
  if (missing.length > 0 && ask === undefined) {
    const words = `"init" has nobody to ask: add ${missing.join(', ')}, or --example for the site of a deck builder.`
    throw new CommandFailed('usage', words)
  }
  const answers: Partial<Answers> = {}
  for (const [key, question] of all) {
    const typed = given[key]
    answers[key] = typed === undefined ? await asked(question, ask!) : readOption(key, typed)
  }
  return answers as Answers
}

async function asked({ asks, read }: Question, ask: NonNullable<Shell['ask']>): Promise<string> {
  let answer = read(await ask(`${asks}: `))
  while (answer === undefined) answer = read(await ask(`That cannot be read. ${asks}: `))
  return answer
}

function readOption(key: keyof Answers, typed: string): string {
  const { asks, read }: Question = questions[key]
  const answer = read(typed)
  if (answer !== undefined) return answer
  throw new CommandFailed('usage', `--${key} cannot be "${typed}". ${asks}.`)
}

/** Trades with a type of their own at schema.org. */
const kinds: Readonly<Record<string, string>> = {
  plumber: 'Plumber',
  electrician: 'Electrician',
  painter: 'HousePainter',
  'house painter': 'HousePainter',
  roofer: 'RoofingContractor',
  locksmith: 'Locksmith',
  mover: 'MovingCompany',
}

export function writeStarter(folder: string, answers: Answers, today: string): void {
  cpSync(starter, folder, { recursive: true })
  const words = wordsFrom(answers, today)
  for (const name of globSync('{*.yaml,pages/*.md}', { cwd: folder })) {
    const path = join(folder, name)
    writeFileSync(path, fill(readFileSync(path, 'utf8'), words))
  }
}

function wordsFrom({ name, owner, trade, country, town, phone }: Answers, today: string) {
  const { timeZone, privacyOffice } = countryOf(country)
  const aTrade = `${/^[aeiou]/i.test(trade) ? 'an' : 'a'} ${trade}`
  return {
    NAME: name,
    OWNER: owner,
    TRADE: trade,
    IS: `${aTrade}'s business`,
    TOWN: town,
    PHONE: phone,
    COUNTRY: country,
    TODAY: today,
    TITLE: `${trade.charAt(0).toUpperCase()}${trade.slice(1)} in ${town}`,
    SUMMARY: `I am ${aTrade} in ${town}.`,
    ABOUT: `a job for ${aTrade}`,
    EXAMPLE: `Please ring me about a job for ${aTrade}.`,
    DOES: `Jobs for ${aTrade} in and around ${town}`,
    KIND: kinds[trade.toLowerCase()] ?? 'LocalBusiness',
    ZONE: timeZone,
    OFFICE: privacyOffice
      ? `you can complain to the ${privacyOffice}.`
      : '[FILL IN: who hears complaints about personal details in your country.]',
  }
}

type Words = ReturnType<typeof wordsFrom>

/** In YAML a word stands between quotation marks. Those of JSON are also marks of YAML. */
function fill(text: string, words: Words): string {
  return text
    .replaceAll(/'%([A-Z_]+)%'/g, (_, key: keyof Words) => JSON.stringify(words[key]))
    .replaceAll(/%([A-Z_]+)%/g, (_, key: keyof Words) => words[key])
}
