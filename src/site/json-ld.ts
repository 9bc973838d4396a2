/** The business, the site and the page as JSON-LD (schema.org), one block for each. */
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
  const { path, title, description, share } = page
  const [shop, site] = [{ '@id': `${baseUrl}/#business` }, { '@id': `${baseUrl}/#website` }]
  const [url, inLanguage] = [`${baseUrl}/`, 'en-AU']
  const image = share && { image: baseUrl + share.path }
  const things = [
    {
      '@type': 'HomeAndConstructionBusiness',
      ...shop,
      url,
      ...image,
      ...factsOf(business, baseUrl),
    },
    { '@type': 'WebSite', ...site, name: business.name, url, inLanguage, publisher: shop },
    {
      '@type': path === contactPath ? 'ContactPage' : 'WebPage',
      name: title,
      description,
      url: baseUrl + path,
      inLanguage,
      isPartOf: site,
      about: shop,
    },
  ]
  return things.map((thing) => {
    const json = JSON.stringify({ '@context': 'https://schema.org', ...thing })
    // No text may close the script element.
    const safe = new Html(json.replaceAll('<', String.raw`\u003c`))
    return html`<script type="application/ld+json">${safe}</script>`
  })
}

function factsOf({ name, summary, contact, areas, state, hours, abn }: Business, baseUrl: string) {
  return {
    name,
    description: summary,
    telephone: contact.phone,
    email: contact.email,
    ...(abn && { taxID: `ABN ${abn}` }),
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
    openingHoursSpecification: hours.map(({ days, opens, closes }) => {
      return { '@type': 'OpeningHoursSpecification', dayOfWeek: days, opens, closes }
    }),
    potentialAction: {
      '@type': 'CommunicateAction',
      name: routes.lead.operations.POST.summary,
      target: {
        '@type': 'EntryPoint',
        urlTemplate: baseUrl + routes.lead.path,
        httpMethod: 'POST',
        // Of the request; `contentType` is that of the answer.
        encodingType: ['application/json', 'application/x-www-form-urlencoded'],
        contentType: 'application/json',
      },
    },
  }
}
