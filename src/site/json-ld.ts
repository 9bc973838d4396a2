/** The page and the business as JSON-LD (schema.org), one block for each thing. */
import type { Business } from '../contract/business.ts'
import { contactPath, routes } from '../contract/routes.ts'
import { html, Html } from '../html.ts'

export type DescribedPage = {
  path: string
  title: string
  description: string
  share: { path: string } | undefined
}

export function jsonLd(business: Business, baseUrl: string, page: DescribedPage): Html[] {
  const things = [
    toBusiness(business, baseUrl, page.share),
    toWebSite(business, baseUrl),
    toPage(baseUrl, page),
  ]
  if (page.path !== '/') things.push(toBreadcrumbs(business, baseUrl, page))
  return things.map(toBlock)
}

type Thing = Record<string, unknown>

function toBusiness(business: Business, baseUrl: string, share: DescribedPage['share']): Thing {
  const { name, summary, contact, areas, state, hours, abn } = business
  return {
    '@type': 'HomeAndConstructionBusiness',
    '@id': businessId(baseUrl),
    name,
    description: summary,
    telephone: contact.phone,
    email: contact.email,
    ...(abn && { taxID: `ABN ${abn}` }),
    url: `${baseUrl}/`,
    ...(share && { image: `${baseUrl}${share.path}` }),
    areaServed: areas.map((area) => ({
      '@type': 'Place',
      name: area.name,
      address: area.postcodes.map((postalCode) => ({
        '@type': 'PostalAddress',
        postalCode,
        addressRegion: state,
        addressCountry: 'AU',
      })),
    })),
    openingHoursSpecification: hours.map(({ days, opens, closes }) => ({
      '@type': 'OpeningHoursSpecification',
      dayOfWeek: days,
      opens,
      closes,
    })),
    potentialAction: toAction(baseUrl),
  }
}

/** `encodingType`: of the request. `contentType`: of the response. */
function toAction(baseUrl: string): Thing {
  return {
    '@type': 'CommunicateAction',
    name: routes.lead.operations.POST.summary,
    target: {
      '@type': 'EntryPoint',
      urlTemplate: `${baseUrl}${routes.lead.path}`,
      httpMethod: 'POST',
      encodingType: ['application/json', 'application/x-www-form-urlencoded'],
      contentType: 'application/json',
    },
  }
}

function toWebSite({ name }: Business, baseUrl: string): Thing {
  return {
    '@type': 'WebSite',
    '@id': siteId(baseUrl),
    name,
    url: `${baseUrl}/`,
    inLanguage: 'en-AU',
    publisher: { '@id': businessId(baseUrl) },
  }
}

function toPage(baseUrl: string, { path, title, description }: DescribedPage): Thing {
  return {
    '@type': path === contactPath ? 'ContactPage' : 'WebPage',
    name: title,
    description,
    url: `${baseUrl}${path}`,
    inLanguage: 'en-AU',
    isPartOf: { '@id': siteId(baseUrl) },
    about: { '@id': businessId(baseUrl) },
  }
}

function toBreadcrumbs({ name }: Business, baseUrl: string, { path, title }: DescribedPage): Thing {
  const crumbs = [
    { name, item: `${baseUrl}/` },
    { name: title, item: `${baseUrl}${path}` },
  ]
  return {
    '@type': 'BreadcrumbList',
    itemListElement: crumbs.map((crumb, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      ...crumb,
    })),
  }
}

function businessId(baseUrl: string): string {
  return `${baseUrl}/#business`
}

function siteId(baseUrl: string): string {
  return `${baseUrl}/#website`
}

function toBlock(thing: Thing): Html {
  const json = JSON.stringify({ '@context': 'https://schema.org', ...thing })
  // No text may close the script element.
  const safe = new Html(json.replaceAll('<', String.raw`\u003c`))
  return html`<script type="application/ld+json">${safe}</script>
`
}
