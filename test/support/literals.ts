/** The words in a program: all but the text of its literals is blanked, and every line stays in its place. */
export function literalsOf(source: string): string {
  const inside: ('code' | 'template')[] = ['code']
  let words = ''
  for (let at = 0; at < source.length;) {
    const mode = inside.at(-1) ?? 'code'
    const token = mode === 'code' ? codeToken : templateToken
    token.lastIndex = at
    const [text] = token.exec(source)!
    const isText = mode === 'template' || /^['"]/.test(text)
    words += isText && isProse(text) ? text.replaceAll(notText, blank) : blank(text)
    if (text === closing[mode]) inside.pop()
    else if (text === '${') inside.push('code')
    else if (mode === 'code' && text === '{') inside.push('code')
    else if (mode === 'code' && text === '`') inside.push('template')
    at += text.length
  }
  return words
}

const closing = { code: '}', template: '`' }

/** Comments, strings and regular expressions whole; all else sign by sign. A slash divides after a value. */
const codeToken =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=(?:[=(,:[!&|?{;>]|\breturn)\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/|[\s\S]/y

const templateToken = /`|\$\{|(?:\\[\s\S]|\$(?!\{)|[^`\\$])+/y

/** Marks at the ends, and escapes: `\n` is not the start of a word. */
const notText = /^['"]|['"]$|\\u\{?\w{4,6}\}?|\\[\s\S]/g

/** A single word in lower case is a name for the program. */
function isProse(text: string): boolean {
  return /\S\s+\S|^\W*[A-Z]|^\s|\s$/.test(text)
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ')
}
