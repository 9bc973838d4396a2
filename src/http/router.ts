/** Which door answers: one look-up in a map. */
import { emptyAnswer } from './answer.ts'
import type { Answer, App, Ask } from './message.ts'

export type Doors = Readonly<Record<string, App>>

export type Route = {
  /** With a slash and a star at its end: every path below. With a star inside: any one segment. */
  path: string
  /** By method. HEAD is answered from GET, OPTIONS from the list itself. */
  doors: Doors
  /** Headers of the answer to OPTIONS, beside Allow. */
  options?: readonly string[]
  /** Answers every method that has no door, where the usual refusal does not fit. */
  wrongMethod?: WrongMethod
}

export type WrongMethod = (ask: Ask, allow: string) => Answer

export type RouterParts = {
  routes: readonly Route[]
  /** Answers every path that is none of `routes`. */
  notFound: App
  wrongMethod: WrongMethod
}

export type Router = {
  answer: App
  /** The path of the route, with its star. `undefined`: no route. */
  nameOf: (path: string) => string | undefined
}

export function createRouter({ routes, notFound, wrongMethod }: RouterParts): Router {
  const table = createTable(routes)
  return { answer, nameOf: table.nameOf }

  function answer(ask: Ask): Answer | Promise<Answer> {
    const entry = table.find(ask.path)
    if (entry !== undefined) return answerFrom(entry, ask)
    if (ask.path === '*' && ask.method === 'OPTIONS') return everyMethod
    return notFound(ask)
  }

  function answerFrom(entry: Entry, ask: Ask): Answer | Promise<Answer> {
    const door = entry.doors.get(ask.method === 'HEAD' ? 'GET' : ask.method)
    if (door !== undefined) return door(ask)
    if (ask.method === 'OPTIONS') return entry.answerToOptions
    return (entry.wrongMethod ?? wrongMethod)(ask, entry.allow)
  }
}

const everyMethod = emptyAnswer(204, 'Allow', 'GET, HEAD, POST, OPTIONS')

type Entry = {
  path: string
  doors: Map<string, App>
  allow: string
  answerToOptions: Answer
  wrongMethod: WrongMethod | undefined
}

function createTable(routes: readonly Route[]) {
  const entries = new Map(routes.map((route) => [route.path, toEntry(route)]))
  // A longer name is more exact.
  const starred = [...entries.keys()]
    .filter((path) => path.includes('/*'))
    .map((name) => ({ name, isMeant: toMatch(name) }))
    .sort((one, other) => other.name.length - one.name.length)

  /** The string of the route, not the equal one of the request: it is found faster elsewhere. */
  function nameOf(path: string): string | undefined {
    return entries.get(path)?.path ?? starred.find(({ isMeant }) => isMeant(path))?.name
  }

  return {
    nameOf,
    find: (path: string) => entries.get(path) ?? entries.get(nameOf(path) ?? ''),
  }
}

function toMatch(name: string): (path: string) => boolean {
  const [before = '', after = ''] = name.split('*')
  if (after === '') return (path) => path.startsWith(before)
  return (path) =>
    path.startsWith(before) &&
    path.endsWith(after) &&
    path.indexOf('/', before.length) === path.length - after.length
}

function toEntry({ path, doors, options = [], wrongMethod }: Route): Entry {
  const methods = Object.keys(doors)
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  const answerToOptions = emptyAnswer(204, 'Allow', allow, ...options)
  return { path, doors: new Map(Object.entries(doors)), allow, answerToOptions, wrongMethod }
}
