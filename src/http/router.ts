/** Which door answers: one look-up in a map. */
import { emptyAnswer } from './answer.ts'
import type { Answer, App, Ask } from './message.ts'

export type Doors = Readonly<Record<string, App>>

export type Route = {
  /** With a slash and a star at its end: every path below. */
  path: string
  /** By method. HEAD is answered from GET, OPTIONS from the list itself. */
  doors: Doors
  /** Headers of the answer to OPTIONS, beside Allow. */
  options?: readonly string[]
}

export type Otherwise = {
  notFound: App
  methodNotAllowed: (ask: Ask, allow: string) => Answer
}

export type Router = {
  answer: App
  /** The path as its route spells it: what stands for a star is left out. `undefined`: no route. */
  nameOf: (path: string) => string | undefined
  /** More routes, from now on. */
  add: (table: readonly Route[]) => void
}

export function createRouter(table: readonly Route[], otherwise: Otherwise): Router {
  const routes = new Map<string, Entry>()
  const below: string[] = []
  add(table)
  const everything = emptyAnswer(204, 'Allow', 'GET, HEAD, POST, OPTIONS')

  function add(more: readonly Route[]): void {
    for (const route of more) {
      routes.set(route.path, toEntry(route))
      if (route.path.endsWith('/*')) below.push(route.path)
    }
  }

  function nameOf(path: string): string | undefined {
    if (routes.has(path)) return path
    return below.find((name) => path.startsWith(name.slice(0, -1)))
  }

  return {
    add,
    nameOf,
    answer(ask) {
      const route = routes.get(ask.path) ?? routes.get(nameOf(ask.path) ?? '')
      if (route === undefined) {
        return ask.path === '*' && ask.method === 'OPTIONS' ? everything : otherwise.notFound(ask)
      }
      const door = route.doors.get(ask.method === 'HEAD' ? 'GET' : ask.method)
      if (door !== undefined) return door(ask)
      if (ask.method === 'OPTIONS') return route.answerToOptions
      return otherwise.methodNotAllowed(ask, route.allow)
    },
  }
}

type Entry = { doors: Map<string, App>; allow: string; answerToOptions: Answer }

function toEntry({ doors, options = [] }: Route): Entry {
  const methods = Object.keys(doors)
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  const answerToOptions = emptyAnswer(204, 'Allow', allow, ...options)
  return { doors: new Map(Object.entries(doors)), allow, answerToOptions }
}
