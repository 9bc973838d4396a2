/** Numbers, commands and long texts, as a person reads them, and words as a person types them. */

export function inKibibytes(bytes: number): string {
  return `${bytes / 1024} KiB`
}

export function sizeInWords(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** `when`: the time of the newest backup in words; `undefined` if there is none. */
export function newestBackupWords(when: string | undefined): string {
  return when === undefined ? 'There is no backup' : `The newest one is from ${when}`
}

/** `toLocaleString` would load ICU, which makes every start 30 ms slower. */
export function inThousands(number: number): string {
  return String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

export function plural(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

/** "1st", "2nd", "3rd", "11th". */
export function ordinal(n: number): string {
  const isTeen = n % 100 >= 11 && n % 100 <= 13
  return `${n}${(!isTeen && endings[n % 10]) || 'th'}`
}

const endings: Record<number, string> = { 1: 'st', 2: 'nd', 3: 'rd' }

export const longestStart = 140

/** The start of a message in one line, as lists and emails show it. */
export function startOf(text: string): string {
  const line = text.slice(0, 4 * longestStart).replaceAll(/\s+/g, ' ')
  return shorten(line.trim(), longestStart)
}

export function shorten(text: string, most: number): string {
  const start = text.slice(0, 2 * most + 1)
  const characters = [...start]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}

/** The command as the operator must type it: through npm or npx if npm started this process. */
export function howToType(words: string): string {
  const { npm_lifecycle_event: script, npm_package_name: folder } = process.env
  if (script === undefined) return `lead-intake ${words}`
  const isElsewhere = script === 'npx' || folder !== 'lead-intake'
  return `${isElsewhere ? 'npx lead-intake' : 'npm run -s lead-intake --'} ${words}`
}

export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isAscii = /^[\0-\x7f]*$/
const apostrophes = /['’ʼ]/g
const marks = /\p{M}+/gu
const separators = /[^\p{L}\p{N}]+/gu

/** Letters that `normalize` leaves as they are, and what people type for them. */
const typedFor: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
}
const untyped = new RegExp(`[${Object.keys(typedFor).join('')}]`, 'g')

/** As people type it: lower case, without accents and apostrophes, with one blank between words. */
export function toPlain(text: string, most = 20_000): string {
  const bare = isAscii.test(text) ? text.toLowerCase() : toTyped(text).slice(0, most)
  return bare.replaceAll(apostrophes, '').replaceAll(separators, ' ').trim()
}

/**
 * Removes accents twice: `normalize` is slow for many in a row, and splits more off letters. The
 * result may be many times as long: one sign can stand for a sentence.
 */
function toTyped(text: string): string {
  return text
    .replaceAll(marks, '')
    .normalize('NFKD')
    .replaceAll(marks, '')
    .toLowerCase()
    .replaceAll(untyped, (letter) => typedFor[letter]!)
}
