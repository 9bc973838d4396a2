import assert from 'node:assert/strict'
import test from 'node:test'
import { compactStyle } from './site.ts'

test('a style sheet loses its comments and indentation, and nothing else', () => {
  const style = `/* Top */
a :hover,
.b::before {
  content: '✓ x';
  margin: 0 calc(1rem + 4px); /* wide */
}
@media screen and (min-width: 60rem) {
  nav { display: none; }
}
`
  assert.equal(
    compactStyle(style),
    "a :hover,.b::before{content: '✓ x';margin: 0 calc(1rem + 4px);}@media screen and (min-width: 60rem){nav{display: none;}}",
  )
})
