import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { toCsvRow } from './export.ts'

test('no cell begins with what a spreadsheet takes for a formula, and every cell reads back exactly', () => {
  const risky = fc.constantFrom(...'=+-@\t\r\n＝＋－＠\'",')
  const text = fc
    .oneof(
      fc.string({ unit: 'grapheme' }),
      fc.tuple(risky, fc.string()).map(([sign, rest]) => sign + rest),
    )
    .filter((cell) => !/[;\t\r\n]["']*[=+@＝＋＠－-]/.test(cell))
  fc.assert(
    fc.property(fc.array(text, { minLength: 1 }), (cells) => {
      const row = toCsvRow(cells)
      const read = readRow(row)
      assert.ok(read.every((cell) => !/^[=+\-@\t\r\n＝＋－＠]/.test(cell)))
      assert.deepEqual(
        read.map((cell) => (cell.startsWith("'") ? cell.slice(1) : cell)),
        cells,
      )
    }),
  )
})

test('a program that splits at semicolons or tabs finds no formula either', () => {
  const row = toCsvRow(['Robin', 'x;=1+1', 'y;"=2', 'a\t@b', 'c\n-2+3', 'a list:\n- a deck'])
  const parts = row.split(/[;\t\r\n]+/)
  assert.deepEqual(
    parts.filter((part) => /^"*(?:[=+@]|-\S)/.test(part)),
    [],
  )
  assert.match(row, /a list:\n- a deck/)
})

/** RFC 4180, read independently of how it was written. */
function readRow(row: string): string[] {
  assert.ok(row.endsWith('\r\n'))
  return [...row.slice(0, -2).matchAll(/"((?:[^"]|"")*)"(?:,|$)/g)].map(([, cell]) =>
    cell!.replaceAll('""', '"'),
  )
}
