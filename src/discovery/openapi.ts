/** The API description, OpenAPI 3.1. */
import { fields, isOneLine, keyName } from '../contract/fields.ts'
import { agentsPath, routes } from '../contract/routes.ts'
import { apiVersion, removalNotice } from '../contract/routes.ts'
import { factsFor } from '../site/facts.ts'
import type { Facts } from './facts.ts'
import { components } from './openapi-components.ts'
import { operations } from './openapi-operations.ts'

export function describeApi(facts: Facts): object {
  const { baseUrl, business } = facts
  const receiptPath = `${routes.receipt.path}{token}`
  return {
    openapi: '3.1.0',
    info: {
      title: `Consultation requests: ${business.name}`,
      summary: 'Ask a deck and pergola business for a Consultation.',
      version: apiVersion,
      description: introduce(facts),
      contact: { name: business.owner, url: `${baseUrl}/`, email: business.contact.email },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl, description: 'The site itself.' }],
    security: [],
    tags: [
      {
        name: 'Leads',
        description: 'Consultation requests, and whether one could be received now.',
      },
      { name: 'Receipts', description: 'What has become of a request, for whoever sent it.' },
    ],
    externalDocs: { description: 'Guide for agents and their makers', url: baseUrl + agentsPath },
    paths: {
      [routes.lead.path]: {
        get: operations.getLeadHealth,
        post: operations.submitConsultationLead,
      },
      [receiptPath]: { get: operations.getReceipt },
      [receiptPath + routes.withdraw.path]: { post: operations.withdrawLead },
    },
    components,
  }
}

const oneLineNames = fields
  .filter(isOneLine)
  .map(({ name }) => `\`${name}\``)
  .join(', ')

function introduce({ baseUrl, business }: Facts): string {
  const facts = factsFor(business, baseUrl)
  const limit = (name: string) => facts.get(`limit.${name}`)
  return `Sends a request for a Consultation to ${business.name}, a business of ${business.region} that builds decks and pergolas. No credentials are needed. The business is not a licensed builder and takes no Class 2 or apartment head-contract.

A request carries a person's details. Send it only when that person asked for it and agreed to these details being sent. It is no booking and gives no price: I, ${business.owner}, get in touch to arrange a time.

## Two kinds of client

A client that sends \`Content-Type: application/json\`, or whose \`Accept\` prefers \`application/json\` to \`text/html\` (by q; on a tie the type named first; wildcards choose JSON only where HTML is excluded with q=0), gets JSON. Every other client is a browser: it is redirected with 303, and a 404, 429 or 503 is a page. Scripts of any site may call this API and read the answers (CORS, without credentials).

## Text

Text becomes well-formed Unicode with \`\\n\` as line end, without control characters other than tab and newline, and trimmed. Line breaks and tabs in ${oneLineNames} become spaces. Lengths are counted in code points after that; what is too long is an error, and nothing is ever cut. JSON must be UTF-8; form bytes that are not UTF-8 are read as windows-1252.

## Sending again

Give each new request an \`Idempotency-Key\` (or \`${keyName}\` in a JSON body): a UUID, or 22 and more random characters. Any other key counts only together with your address, and the example in this document counts as none. For ${limit('key')}, the same key with the same content gives the first answer again; with other content it is 422, and after the request was withdrawn 409. Without a key, the same content from the same address within ${limit('repeat')} is taken once. After a network failure, a 429 or a 503, wait for \`Retry-After\` and send the same request with the same key.

## Limits

- Body: at most ${limit('body')}, not compressed. Unlisted fields: at most ${limit('unlisted')}.
- From one address (of IPv6, one /64), whatever it POSTs: past ${limit('hard')}, 429. Past twice as many, no body is read and the connection is closed. An answer to a POST of a lead tells what is left in \`RateLimit\`, unless the client is not limited.
- Past ${limit('soft')} from one address, requests are received but looked at by hand first; of those, past ${limit('held')}, 429.

## Versions

No path has a version in it. Within version 1 things are only added, so ignore members you do not know. What is to be withdrawn is announced at least ${removalNotice} ahead with the \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594) headers.
`
}
