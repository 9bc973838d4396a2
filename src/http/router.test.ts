import assert from 'node:assert/strict'
import test from 'node:test'
import { Router } from './router.ts'

test('a star stands for one segment inside a path, and for all below at its end', () => {
  const doors = { GET: () => ({ status: 200, headers: [], body: '' }) }
  const named = ['/box/*', '/box/lead/*', '/box/lead/*/move', '/box/lead/new']
  const never = () => assert.fail()
  const router = new Router(
    named.map((path) => ({ path, doors })),
    never,
    never,
  )
  const nameOf = (path: string) => router.nameOf(path)
  const found = ['/box/a', '/box/lead/1', '/box/lead/1/move', '/box/lead/new', '/a']
  assert.deepEqual(found.map(nameOf), [
    '/box/*',
    '/box/lead/*',
    '/box/lead/*/move',
    '/box/lead/new',
    undefined,
  ])
  assert.equal(nameOf('/box/lead/1/2/move'), '/box/lead/*')
  assert.equal(nameOf('/box/lead//move'), '/box/lead/*/move')
})
