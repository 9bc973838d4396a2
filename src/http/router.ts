/** Which door answers: one look-up in a map. */
import { emptyAnswer } from './answer.ts'
import type { Answer, App, Ask } from './message.ts'

export type Doors = Readonly<Record<string, App>>

export type Route = {
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

export function createRouter(table: readonly Route[], otherwise: Otherwise): App {
  const routes = new Map(
    table.map(({ path, doors, options = [] }) => {
      const allow = allowed(doors)
      const answerToOptions = emptyAnswer(204, 'Allow', allow, ...options)
      return [path, { doors: new Map(Object.entries(doors)), allow, answerToOptions }]
    }),
  )
  const everything = emptyAnswer(204, 'Allow', 'GET, HEAD, POST, OPTIONS')

  return (ask) => {
    const route = routes.get(ask.path)
    if (route === undefined) {
      return ask.path === '*' && ask.method === 'OPTIONS' ? everything : otherwise.notFound(ask)
    }
    const door = route.doors.get(ask.method === 'HEAD' ? 'GET' : ask.method)
    if (door !== undefined) return door(ask)
    if (ask.method === 'OPTIONS') return route.answerToOptions
    return otherwise.methodNotAllowed(ask, route.allow)
  }
}

function allowed(doors: Doors): string {
  const methods = Object.keys(doors)
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
}
