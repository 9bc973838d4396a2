/** Results go to standard output, everything else to standard error. */
import { once } from 'node:events'
import { environment } from './environment.js'
export async function print(text) {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
export function say(text) {
  process.stderr.write(`${text}\n`)
}
/** Also escapes the control characters that JSON leaves raw and a terminal would obey. */
export function toJson(value) {
  const json = JSON.stringify(value, undefined, 2)
  return `${json.replaceAll(controlCharacters, (found) => (found === '\n' ? found : escaped(found)))}\n`
}
/** Shows control and formatting characters as dots, so that foreign text cannot control the terminal. */
export function toPlain(text) {
  return text.replaceAll(controlCharacters, '·')
}
/** As `toPlain`, but keeps line breaks. */
export function toPlainLines(text) {
  return text.split('\n').map(toPlain).join('\n')
}
/** Name and value in two columns; further lines of a value are indented. */
export function toPairs(pairs) {
  const width = Math.max(...pairs.map(([name]) => name.length)) + 2
  return pairs
    .map(([name, value]) => {
      const lines = toPlainLines(value).replaceAll('\n', `\n${' '.repeat(width)}`)
      return `${bold(toPlain(name))}${' '.repeat(width - name.length)}${lines}\n`
    })
    .join('')
}
export function bold(text) {
  const coloured = process.stdout.isTTY && process.stderr.isTTY && !environment.noColor
  return coloured ? `\u001b[1m${text}\u001b[22m` : text
}
const controlCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu
function escaped(character) {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')
}
