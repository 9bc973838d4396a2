import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import test from 'node:test'
import { boundaryOf, FormFile } from './form-file.ts'

const field = '--end\r\nContent-Disposition: form-data; name="words"\r\n\r\nA note\r\n'
const head =
  '--end\r\nContent-Type: image/jpeg\r\ncontent-disposition: form-data; name="photo"; filename=""\r\n\r\n'
const lawn = '\r\n--en A lawn \r\n-- \r\n\r\n--e'
const file = `${head}${lawn}\r\n`

async function fileIn(...pieces: string[]) {
  const form = new FormFile('end')
  const bytes = await buffer(Readable.from(pieces.map((piece) => Buffer.from(piece))).pipe(form))
  return { bytes: bytes.toString(), problem: form.problem }
}

test('the file of a form comes out whole, wherever the form is torn', async () => {
  const form = `before\r\n${field}${file}${field}--end--\r\nbehind\r\n--end\r\n`
  const whole = { bytes: lawn, problem: undefined }
  assert.deepEqual(await fileIn(...form), whole, 'in single bytes')
  for (let at = 0; at < form.length; at += 1) {
    assert.deepEqual(await fileIn(form.slice(0, at), form.slice(at)), whole, `torn at ${at}`)
  }
})

test('a form that breaks off anywhere, or is none, says so and comes to its end', async () => {
  const form = `${field}${file}--end--`
  for (let at = 0; at < form.length; at += 1) {
    assert.equal((await fileIn(form.slice(0, at))).problem, 'nothing', `breaks off at ${at}`)
  }
  for (const odd of [
    head.replace('\r\n\r\n', '\r\n--end--'),
    `--end${'x'.repeat(5_000)}`,
    `${field.repeat(21)}${file}--end--`,
  ]) {
    assert.deepEqual(await fileIn(odd), { bytes: '', problem: 'nothing' })
  }
  assert.equal((await fileIn(file, file, '--end--')).problem, 'several')
})

test('the boundary is read with and without quotation marks', () => {
  assert.equal(boundaryOf('multipart/form-data; charset=utf-8; Boundary="a b"'), 'a b')
  assert.equal(boundaryOf('multipart/form-data;boundary=----quux;x=1'), '----quux')
  for (const none of [undefined, 'multipart/form-data', 'multipart/form-data; boundary=']) {
    assert.equal(boundaryOf(none), undefined)
  }
})
