/** Mulberry32: numbers from 0 up to 1. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const alphabets = [
  'abcdefghijklmnopqrstuvwxyz',
  ' \t\n\'"`*():&|!<>-+^{}[]\\/%_$,.;@#~=?',
  '0123456789',
  'ABCÄÉßØŁİıſŒ',
  '日本語한국어عربىעבריתไทยहिन्दी',
  '\u0000\u0301\u200b\u202e\u00a0\ufeff²½ⅷ①𝐀𝟙😀',
]
const operators = `AND OR NOT NEAR( words: " ' * :* <-> ;-- $1 %`.split(' ')

export function randomText(random: () => number, length: number): string {
  let text = ''
  while (text.length < length) {
    const letters = [...alphabets[Math.floor(random() * alphabets.length)]!]
    text += letters[Math.floor(random() * letters.length)]!
    if (random() < 0.1) text += operators[Math.floor(random() * operators.length)]!
    if (random() < 0.15) text += ' '
  }
  return text
}
