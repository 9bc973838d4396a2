import { idempotencyKeyLength } from './limits.js'
const { min, max } = idempotencyKeyLength
/** Printed in our documents, so many clients send it: it counts as no key. */
export const exampleKey = '8e03978e-40d5-43dd-bc93-6894a57f9324'
export function isKey(value) {
  return typeof value === 'string' && value.length >= min && value.length <= max
}
export function isExampleKey(key) {
  return key.toLowerCase() === exampleKey
}
/** By its shape: a UUID, or 22 random characters and more. */
export function isUnguessable(key) {
  return uuid.test(key) || (longText.test(key) && looksRandom(key))
}
/** Not one such as 00000000-0000-0000-0000-000000000000. */
const uuid = /^(?!(.)\1{7})[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const longText = /^[\w+/=.~-]{22,}$/
/**
 * Random text changes between small letters, capitals and digits at every second character or so;
 * words and dates rarely do.
 */
function looksRandom(text) {
  const runs = text.match(/[a-z]+|[A-Z]+|\d+/g) ?? []
  return runs.length > text.length / 5 && new Set(text).size >= 8
}
/** `field`: the header or the member of the body that held it. */
export function keyProblem(field, characters = 'characters') {
  return { field, problem: `must be a text of ${min} to ${max} ${characters}`, example: exampleKey }
}
