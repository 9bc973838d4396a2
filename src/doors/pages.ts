/** The pages of the site: as HTML, and as a twin in Markdown for clients that prefer it. */
import { inertHeaders, moved, type App } from '../http/message.ts'
import { createResource, type Resource } from './resource.ts'
import type { Route } from '../http/router.ts'
import { linkHeader, twinOf, twinPathOf, type Page } from '../site/page.ts'
import type { Site } from '../site/site.ts'
import { prefersMarkdown } from './clients.ts'

/** Caches must tell HTML from Markdown, and one encoding from another. */
export const varies = ['Vary', 'Accept, Accept-Encoding'] as const
const cached = ['Cache-Control', 'public, max-age=300']
const uncached = ['Cache-Control', 'no-cache']
/** For search engines. Also in the page itself; the twin has no other place for it. */
export const unindexed = ['X-Robots-Tag', 'noindex']
const htmlHeaders = [
  'Content-Type',
  'text/html; charset=utf-8',
  'X-Content-Type-Options',
  'nosniff',
]

/** Offers the form to agents in the browser. It does nothing in others. */
const toolScript = '/form-tool.js'

export type PageVariants = { page: Resource; twin: Resource }

/** `path` is `undefined` for the page that answers 404. */
export function createPageVariants(
  site: Site,
  page: Page,
  { status = 200, path }: { status?: 200 | 404; path: string | undefined },
): PageVariants {
  const link = ['Link', linkHeader(site.baseUrl, path)]
  const { title, description, main, indexed } = page
  const headers = [
    ...varies,
    ...(status === 200 ? cached : uncached),
    ...link,
    ...(indexed ? [] : unindexed),
  ]
  return {
    page: createResource({
      status,
      body: () =>
        site.show({
          path,
          title,
          description,
          main,
          indexed: indexed && path !== undefined,
          ...(path === '/' && { script: toolScript }),
        }).text,
      headers: [...htmlHeaders, ...headers, 'Content-Security-Policy', site.policy],
    }),
    twin: createResource({
      status,
      body: () => twinOf(page, site.baseUrl, path),
      headers: ['Content-Type', 'text/markdown; charset=utf-8', ...headers, ...inertHeaders()],
    }),
  }
}

/** The page may be made for each visitor; the twin is the same for all. */
export type PageDoors = { page: App; twin: App }

export function pageRoutes({ path }: Page, { page, twin }: PageDoors): Route[] {
  const onward: App = () => moved(path)
  const routes: Route[] = [
    {
      path,
      doors: { GET: (ask) => (prefersMarkdown(ask.headers.accept) ? twin(ask) : page(ask)) },
    },
    { path: twinPathOf(path), doors: { GET: twin } },
    { path: `${path}index.html`, doors: { GET: onward } },
  ]
  if (path === '/') return routes
  const withoutSlash = path.slice(0, -1)
  return [
    ...routes,
    { path: `${path}index.md`, doors: { GET: twin } },
    { path: withoutSlash, doors: { GET: onward } },
    { path: `${withoutSlash}.html`, doors: { GET: onward } },
  ]
}
