/** Finds the door for a path and method. */
import { emptyAnswer } from './answers.ts'
import type { Answer, App, Ask, Headers } from './message.ts'

export type Route = {
  /** A star at the end stands for the rest of the path, and a star inside for one segment. */
  path: string
  /** What comes by POST is a file, which the door reads from `stream`. */
  takesFile?: true
  /** GET's door also answers HEAD. The router itself answers OPTIONS. */
  doors: Readonly<Record<string, App>>
  options?: Headers
  wrongMethod?: WrongMethod
}

export type WrongMethod = (ask: Ask, allow: string) => Answer

export class Router {
  readonly #exact: Map<string, Route>
  readonly #starred: Route[]
  readonly #notFound: App
  readonly #wrongMethod: WrongMethod

  constructor(routes: readonly Route[], notFound: App, wrongMethod: WrongMethod) {
    this.#exact = new Map(routes.map((route) => [route.path, route]))
    // Longer paths are tried first, because they are more exact.
    this.#starred = routes
      .filter(({ path }) => path.includes('/*'))
      .sort((one, other) => other.path.length - one.path.length)
    this.#notFound = notFound
    this.#wrongMethod = wrongMethod
  }

  /** Returns the path as the route has it, such as `/receipt/*`. */
  nameOf(path: string): string | undefined {
    return this.#find(path)?.path
  }

  takesFile({ method, path }: Pick<Ask, 'method' | 'path'>): boolean {
    return method === 'POST' && this.#find(path)?.takesFile === true
  }

  answer(ask: Ask): Answer | Promise<Answer> {
    const { method, path } = ask
    const route = this.#find(path)
    if (route === undefined) {
      return path === '*' && method === 'OPTIONS' ? everyMethod : this.#notFound(ask)
    }
    const door = route.doors[method === 'HEAD' ? 'GET' : method]
    if (door !== undefined) return door(ask)
    const methods = Object.keys(route.doors)
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
    if (method === 'OPTIONS') return emptyAnswer(204, { Allow: allow, ...route.options })
    return (route.wrongMethod ?? this.#wrongMethod)(ask, allow)
  }

  #find(path: string): Route | undefined {
    return this.#exact.get(path) ?? this.#starred.find((route) => isMeant(route.path, path))
  }
}

const everyMethod = emptyAnswer(204, { Allow: 'GET, HEAD, POST, OPTIONS' })

function isMeant(starred: string, path: string): boolean {
  const [asked, found] = [starred.split('/'), path.split('/')]
  const isRest = asked.at(-1) === '*' && found.length >= asked.length
  if (!isRest && found.length !== asked.length) return false
  return asked.every((part, index) => part === '*' || part === found[index])
}
