/** Serves pages as HTML and as Markdown (their twins), documents and files. */
import type { PublishedSite } from '../discovery/documents.ts'
import { inert, markdownType, moved, unsniffed, type Policy } from '../http/answers.ts'
import { withHeaders, type App, type Ask, type Headers } from '../http/message.ts'
import type { Route } from '../http/router.ts'
import { linkHeader, twinOf, twinPathOf, type Page } from '../site/page.ts'
import type { Site } from '../site/site.ts'
import { corsHeaders, prefersJson, prefersMarkdown } from './clients.ts'
import { errorAnswer } from './outcomes.ts'
import { createResource, type Resource } from './resource.ts'

/** `ownDoors`: the doors of a page that differs for each caller; for other pages `{}`. */
export function publish(
  site: PublishedSite,
  now: () => number,
  ownDoors: (page: Page) => Partial<PageDoors>,
) {
  const fixed = (path: string, resource: Resource): Route => ({ path, doors: { GET: resource } })
  const { pages, missing, files, documents } = site
  const routes = [
    ...pages.flatMap((page) => {
      const variants = createPageVariants(site, page, { path: page.path })
      const own = ownDoors(page)
      return pageRoutes(page, {
        page: own.page ?? variants.page,
        twin: own.twin ?? variants.twin,
        forPosts: own.forPosts,
      })
    }),
    ...documents.map((document): Route => {
      const { path, body } = document
      if (typeof body === 'function') return fixed(path, toResource({ ...document, body }))
      const written: App = (ask) => toResource({ ...document, body: body.anew(now()) })(ask)
      return { path, doors: { GET: written } }
    }),
    ...files.map((file) => fixed(file.path, toResource({ ...file, maxAgeS: 86_400 }))),
    fixed('/404.md', createPageVariants(site, missing, { path: undefined }).twin),
  ]
  const nothing = createPageVariants(site, missing, { status: 404, path: undefined })
  return {
    routes,
    notFound: createMissingDoor(nothing.page, nothing.twin),
  }
}

export const varies: Headers = { Vary: 'Accept, Accept-Encoding' }
/** HTML also has a `robots` tag, but Markdown cannot have one. */
export const unindexed: Headers = { 'X-Robots-Tag': 'noindex' }

/** For a page that everybody may keep. */
function publicPolicy({ policy }: Site): Policy {
  return {
    ...unsniffed,
    // What browsers do anyway. These addresses are public; those of receipts have `no-referrer`.
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Content-Security-Policy': policy,
  }
}

const webMcpScript = '/form-tool.js'

/** `path` is `undefined` for the page of a 404, which has no address of its own. */
function createPageVariants(
  site: Site,
  page: Page,
  { status = 200, path }: { status?: 200 | 404; path: string | undefined },
) {
  const headers = {
    ...varies,
    'Cache-Control': status === 200 ? 'public, max-age=300' : 'no-cache',
    Link: linkHeader(site.baseUrl, path),
    ...(page.indexed ? {} : unindexed),
  }
  return {
    page: createResource({
      status,
      body() {
        const scripts = path === '/' ? [webMcpScript] : []
        return site.show({ ...page, main: page.main(), path, scripts }).text
      },
      type: 'text/html; charset=utf-8',
      policy: { ...headers, ...publicPolicy(site) },
    }),
    twin: createResource({
      status,
      body: () => twinOf(page, site, path),
      type: markdownType,
      policy: { ...headers, ...inert() },
    }),
  }
}

export type PageDoors = {
  page: App
  twin: App
  /** Guards the door of a page that also answers POST; `undefined`: the page does not. */
  forPosts?: ((door: App) => App) | undefined
}

function pageRoutes({ path }: Page, { page, twin, forPosts }: PageDoors): Route[] {
  const chosen: App = (ask) => (prefersMarkdown(ask.headers.accept) ? twin(ask) : page(ask))
  const ways: Route[] = [twinPathOf(path), `${path}index.md`].map((each) => {
    return { path: each, doors: { GET: twin } }
  })
  if (path !== '/') ways.push({ path: path.slice(0, -1), doors: { GET: () => moved(path) } })
  const doors = forPosts ? { GET: chosen, POST: forPosts(chosen) } : { GET: chosen }
  return [{ path, doors }, ...ways]
}

function createMissingDoor(page: App, twin: App): App {
  const json = withHeaders(errorAnswer('NOT_FOUND'), varies)
  return (ask) => {
    if (prefersMarkdown(ask.headers.accept)) return twin(ask)
    if (isProgram(ask)) return withHeaders(json, corsHeaders(ask))
    return page(ask)
  }
}

/** A client that names neither JSON nor HTML is judged by what it asks for. */
function isProgram({ method, path, headers: { accept = '' } }: Ask): boolean {
  if (prefersJson(accept)) return true
  const isReading = method === 'GET' || method === 'HEAD'
  return !accept.includes('text/html') && (!isReading || programPath.test(path))
}

const programPath = /^\/(?:api|\.well-known)\/|\.(?:json|txt|ya?ml|xml)$/

// An SVG drawing may have a `<style>`.
const styled: Policy = { ...inert("style-src 'unsafe-inline'; "), Vary: 'Accept-Encoding' }

type Plain = {
  type: string
  body: string | Buffer | (() => string | Buffer)
  headers?: Headers
  maxAgeS?: number
}

function toResource({ type, body, headers = {}, maxAgeS = 3_600 }: Plain): Resource {
  const kept = { 'Cache-Control': `public, max-age=${maxAgeS}` }
  return createResource({ type, body, policy: { ...kept, ...headers, ...styled } })
}
