/** CSV (RFC 4180) that a spreadsheet reads as text, never as a formula. */

/** Rows end in CRLF. Every cell is quoted. */
export function toCsvRow(cells: readonly (string | number)[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

/** The characters that begin a formula, full-width forms too; and the quote we put before them, so that it can be removed again. */
const risky = /^['=+\-@\t\r\n＝＋－＠]/

function toCell(value: string | number): string {
  const text = String(value)
  return `"${(risky.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
}
