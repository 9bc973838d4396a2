/** The HTML around every page: head, header, footer, and structured data for search engines. */
import { papersOf, type Business, type Registration } from '../contract/business.ts'
import { countryOf } from '../contract/country.ts'
import { documents, documentRows, openapiType } from '../contract/documents.ts'
import { agentsPath, contactPath, privacyPath, routes } from '../contract/routes.ts'
import { wordsOf } from '../contract/wording.ts'
import { html, Html } from '../html.ts'
import type { ImageSize } from './image-size.ts'
import { twinPathOf } from './page.ts'
import { phoneAndHours, phoneLink } from './ring.ts'

export type Frame = {
  business: Business
  /** Has no slash at its end. */
  baseUrl: string
  navigation: readonly { path: string; label: string }[]
  /** Inlined unchanged, because the Content-Security-Policy has its hash. */
  style: string
  /** Colours for the background of the page and for the bars of the browser. */
  paper: { light: string; dark: string }
  /** The drawing beside the name of the business. */
  mark: Html
  /** The picture that is shown with a shared link. */
  share: SharedPicture | undefined
}

export type SharedPicture = ImageSize & { path: string }

export type FramedPage = {
  /** `undefined` for a page without a public address, such as a receipt. */
  path: string | undefined
  title: string
  description: string
  main: Html
  /** Whether search engines may list the page. Default: only if it has a path. */
  indexed?: boolean
  updated?: string
  /** Paths of module scripts. */
  scripts?: readonly string[]
}

export function layout(frame: Frame, page: FramedPage): Html {
  return html`<!DOCTYPE html>
<html lang="${countryOf(frame.business.country).locale}">
${head(frame, page)}
<body>
<a class="skip" href="#main">Skip to the content</a>
${top(frame, page.path)}
<main class="wrap" id="main">
${page.main}</main>
${foot(frame.business, page.path)}
</body>
</html>`
}

function head(frame: Frame, page: FramedPage): Html {
  const { business, baseUrl, style, paper, share } = frame
  const { path, title, description, scripts = [], indexed = path !== undefined } = page
  const pictureTags = share === undefined ? '' : picture(business, baseUrl, share)
  const scriptTags = scripts.map((script) => html`<script type="module" src="${script}"></script>`)
  const structuredData = path === undefined ? '' : jsonLd(frame, page)
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${path === '/' ? title : `${title} · ${business.name}`}</title>
<meta name="description" content="${description}">
${indexed ? '' : noIndexTag}<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="${paper.light}">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="${paper.dark}">
<style>${new Html(style)}</style>
<link rel="icon" href="/favicon.ico" sizes="32x32">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
${path === undefined ? '' : address(baseUrl, path)}${documentLinks}
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${business.name}">
<meta property="og:locale" content="${countryOf(business.country).locale.replace('-', '_')}">
${pictureTags}${scriptTags}${structuredData}</head>`
}

const noIndexTag = html`<meta name="robots" content="noindex">`

function address(baseUrl: string, path: string): Html {
  return html`<link rel="canonical" href="${baseUrl}${path}">
<meta property="og:url" content="${baseUrl}${path}">
<link rel="alternate" type="text/markdown" href="${twinPathOf(path)}">`
}

/** Chat programs need the whole address of the picture. */
function picture({ summary }: Business, baseUrl: string, { path, width, height }: SharedPicture) {
  return html`<meta property="og:image" content="${baseUrl}${path}">
<meta property="og:image:width" content="${width}">
<meta property="og:image:height" content="${height}">
<meta property="og:image:alt" content="${summary}">
<meta name="twitter:card" content="summary_large_image">`
}

const documentLinks = html`<link rel="describedby" href="${documents.llms.path}" type="${documents.llms.type}">
<link rel="service-desc" href="${documents.openapi.path}" type="${openapiType}">
<link rel="service-doc" href="${agentsPath}" type="text/html">
<link rel="api-catalog" href="${documents.apiCatalog.path}" type="${documents.apiCatalog.type}">
<link rel="ai-catalog" href="${documents.aiCatalog.path}" type="${documents.aiCatalog.type}">`

function top({ business, navigation, mark }: Frame, path: string | undefined): Html {
  return html`<header class="top">
<div class="wrap">
<a class="brand" href="/"${path === '/' ? here : ''}>${mark}<span>${business.name}</span></a>
<button class="menu" type="button" popovertarget="pages">Menu</button>
<nav aria-label="Pages" id="pages" popover><ul>
${navigation.map(
  (each) =>
    html`<li><a href="${each.path}"${each.path === path ? here : ''}>${each.label}</a></li>`,
)}</ul></nav>
</div>
<div class="edge"></div>
<div class="wrap strip">
<p class="ring">${handset}${phoneAndHours(business)}</p>
</div>
</header>`
}

const here = html` aria-current="page"`

const outline = html`fill="none" stroke="currentColor"`

const handset = html`<svg width="20" height="20" viewBox="0 0 20 20" ${outline} stroke-width="1.8" aria-hidden="true">
<path stroke-linejoin="round" d="M5.5 2 8 6.5 6 8.5c1 2.6 2.9 4.5 5.5 5.5l2-2L18 14.5c0 2-1.5 3.5-3.5 3.5
C7.5 18 2 12.5 2 5.5 2 3.5 3.5 2 5.5 2z"/></svg>`

function foot(business: Business, path: string | undefined): Html {
  const { name, region, areas, contact, notice } = business
  const towns = areas.map((area) => area.name)
  const places = towns[0] === region ? towns.join(', ') : `${region}: ${towns.join(', ')}`
  // Agents rarely guess a path, but follow visible links.
  const { path: guide } = documents.llms
  const twin =
    path === undefined ? '' : html`, <a href="${twinPathOf(path)}">this page as Markdown</a>`
  return html`<footer class="foot">
<div class="wrap">
<div>
<h2>${name}</h2>
<p><span class="again">Ring me: ${phoneLink(business)}<br></span>
<a href="mailto:${contact.email}">${contact.email}</a></p>
<p><a href="${contactPath}">Ask for ${business.asksFor.one}</a></p>
<p class="small">${papersOf(business).map((each) => html`${paperLink(each)}<br>`)}</p>
</div>
<div>
<h2>Where I work</h2>
<p>I work in ${places}.</p>
${notice ? html`<p>${notice}</p>\n` : ''}<p><a href="${privacyPath}">Privacy</a></p>
</div>
<div class="agents">
<p>For agents: site guide at <a href="${guide}">${guide}</a>${twin}</p>
${allDocuments(business)}</div>
</div>
</footer>`
}

function paperLink({ words, link }: { words: string; link?: string | undefined }): Html | string {
  return link === undefined ? words : html`<a href="${link}">${words}</a>`
}

function allDocuments(business: Business): Html {
  const rows = wordsOf(business)(documentRows)
  return html`<details>
<summary>All documents for programs</summary>
<p>Everything on this site can be read and done by a program too.</p>
<ul>
<li><a href="${agentsPath}">How it works for agents</a></li>
${rows.map(({ path, title }) => html`<li><a href="${path}">${title}</a></li>`)}</ul>
</details>`
}

function jsonLd({ business, baseUrl, share }: Frame, page: FramedPage): Html[] {
  const { path, title, description, updated } = page
  const [shop, site] = [{ '@id': `${baseUrl}/#business` }, { '@id': `${baseUrl}/#website` }]
  const [url, inLanguage] = [`${baseUrl}/`, countryOf(business.country).locale]
  const image = share && { image: baseUrl + share.path }
  const things = [
    {
      '@type': business.trade.kind ?? 'LocalBusiness',
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
      url: `${baseUrl}${path}`,
      dateModified: updated,
      inLanguage,
      isPartOf: site,
      about: shop,
    },
    ...breadcrumbs(business, baseUrl, page),
  ]
  return things.map((thing) => {
    const json = JSON.stringify({ '@context': 'https://schema.org', ...thing })
    // Without `<`, no text can close the script element.
    const safe = new Html(json.replaceAll('<', String.raw`\u003c`))
    return html`<script type="application/ld+json">${safe}</script>`
  })
}

/** The home page has none, because it is the first breadcrumb of every other page. */
function breadcrumbs({ name }: Business, baseUrl: string, { path, title }: FramedPage): object[] {
  if (path === '/') return []
  const item = { '@type': 'ListItem' }
  const itemListElement = [
    { ...item, position: 1, name, item: `${baseUrl}/` },
    { ...item, position: 2, name: title, item: `${baseUrl}${path}` },
  ]
  return [{ '@type': 'BreadcrumbList', itemListElement }]
}

function factsOf(business: Business, baseUrl: string) {
  const { name, summary, contact, areas, country, state, hours, registrations } = business
  const { ABN: taxID } = Object.fromEntries(registrations.map((each) => [each.label, each]))
  const others = registrations.filter((each) => each !== taxID)
  return {
    name,
    description: summary,
    telephone: contact.phone,
    email: contact.email,
    ...(taxID && { taxID: `ABN ${taxID.number}` }),
    ...(others.length > 0 && { identifier: others.map(toIdentifier) }),
    areaServed: areas.map((area) => ({
      '@type': 'Place',
      name: area.name,
      ...(area.postcodes.length > 0 && {
        address: area.postcodes.map((postalCode) => ({
          '@type': 'PostalAddress',
          postalCode,
          addressRegion: state,
          addressCountry: country,
        })),
      }),
    })),
    openingHoursSpecification: hours.map(({ days, opens, closes }) => {
      return { '@type': 'OpeningHoursSpecification', dayOfWeek: days, opens, closes }
    }),
    potentialAction: {
      '@type': 'CommunicateAction',
      name: wordsOf(business)(routes.lead.operations.POST.summary),
      target: {
        '@type': 'EntryPoint',
        urlTemplate: baseUrl + routes.lead.path,
        httpMethod: 'POST',
        // `encodingType` is the media type of the request, `contentType` that of the answer.
        encodingType: ['application/json', 'application/x-www-form-urlencoded'],
        contentType: 'application/json',
      },
    },
  }
}

function toIdentifier({ label, number, link }: Registration) {
  return { '@type': 'PropertyValue', name: label, value: number, url: link }
}
