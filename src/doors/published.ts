/** Everything that is there to be read: pages, their twins, documents and files, each on its path. */
import type { PublishedSite } from '../discovery/open-site.ts'
import type { App } from '../http/message.ts'
import type { Packed, Resource } from '../http/resource.ts'
import type { Route } from '../http/router.ts'
import type { Page } from '../site/page.ts'
import { documentResource, fileResource } from './documents.ts'
import { createMissingDoor } from './missing.ts'
import { createPageVariants, pageRoutes } from './pages.ts'

export type Published = {
  routes: Route[]
  notFound: App
  /** Compresses what is the same for everybody. Until that is done it is sent as it is. */
  prepare: () => Promise<void>
}

/** `ownDoor`: for a page that is different for each visitor. */
export function publish(site: PublishedSite, ownDoor: (page: Page) => App | undefined): Published {
  const resources: Resource[] = []
  const keep = (resource: Resource) => {
    resources.push(resource)
    return resource
  }
  const fixed = (path: string, resource: Resource): Route => ({
    path,
    doors: { GET: keep(resource).answer },
  })
  const { pages, missing, files, documents } = site
  const nothing = createPageVariants(site, missing, { status: 404, path: undefined })
  return {
    routes: [
      ...pages.flatMap((page) => {
        const variants = createPageVariants(site, page, { path: page.path })
        const own = ownDoor(page)
        if (own === undefined) keep(variants.page)
        return pageRoutes(page, {
          page: own ?? variants.page.answer,
          twin: keep(variants.twin).answer,
        })
      }),
      ...documents.map((document) => fixed(document.path, documentResource(document))),
      ...files.map((file) => fixed(file.path, fileResource(file))),
      fixed('/404.md', createPageVariants(site, missing, { path: undefined }).twin),
    ],
    notFound: createMissingDoor({
      page: keep(nothing.page).answer,
      twin: keep(nothing.twin).answer,
    }),
    prepare: async () => {
      const known = site.packed.recall() ?? {}
      const packed: Packed[] = []
      for (const resource of resources) packed.push(await resource.prepare(known))
      const all = Object.assign({}, ...packed)
      if (Object.keys(all).some((name) => !(name in known))) site.packed.keep(all)
    },
  }
}
