/** All that can be read: pages, their twins, documents and files, each on its path. */
import type { PublishedSite } from '../discovery/published-site.ts'
import type { App } from '../http/message.ts'
import type { Resource } from './resource.ts'
import type { Route } from '../http/router.ts'
import type { Page } from '../site/page.ts'
import type { PublicFile } from '../site/public-files.ts'
import { documentResource, fileResource } from './documents.ts'
import { createMissingDoor } from './missing.ts'
import { createPageVariants, pageRoutes } from './pages.ts'

export type Published = {
  routes: Route[]
  notFound: App
  /** Compresses what is the same for all clients. Until then it is sent plain. */
  prepare: () => Promise<void>
}

/** `ownDoor`: the door of a page that differs for each visitor. */
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
      ...files.map((file) => {
        const resource = fileResource(file)
        return isPacked(file)
          ? { path: file.path, doors: { GET: resource.answer } }
          : fixed(file.path, resource)
      }),
      fixed('/404.md', createPageVariants(site, missing, { path: undefined }).twin),
    ],
    notFound: createMissingDoor({
      page: keep(nothing.page).answer,
      twin: keep(nothing.twin).answer,
    }),
    prepare: async () => {
      for (const resource of resources) await resource.prepare()
    },
  }
}

/** Compressing a photo takes long and gains nothing. */
function isPacked({ type }: PublicFile): boolean {
  return /^image\/(?:png|jpeg|webp)$/.test(type)
}
