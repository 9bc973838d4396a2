/** The API description, OpenAPI 3.1. */
import { fields, isOneLine } from '../contract/fields.ts'
import { agentsPath, routes } from '../contract/routes.ts'
import { apiVersion, removalNotice } from '../contract/routes.ts'
import { factsFor } from '../site/facts.ts'
import type { Facts } from './facts.ts'
import { components } from './openapi-components.ts'
import { webhooks } from './openapi-webhooks.ts'
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
      { name: 'Webhooks', description: "Signed events to the owner's own programs." },
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
    webhooks,
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

A client that sends \`Content-Type: application/json\`, or whose \`Accept\` prefers \`application/json\` to \`text/html\`, is a JSON client and gets JSON. Preference goes by q; on a tie the type named first wins; wildcards alone never choose JSON. Every other client is a browser and is redirected with 303.

## How text is normalised

Text becomes well-formed Unicode, line ends become \`\\n\`, control characters below U+0020 other than tab and newline are removed, and both ends are trimmed. Line breaks and tabs in ${oneLineNames} become spaces. Lengths are counted in Unicode code points after that. JSON must be UTF-8; form bytes that are not UTF-8 are read as windows-1252. Nothing is ever cut: what is too long is an error that says so.

## Limits

- Body: at most ${limit('body')}, not compressed.
- Unlisted fields: at most ${limit('unlisted')}.
- More than ${limit('hard')} from one address, whatever they POST: 429 with \`Retry-After\`. \`RateLimit\` and \`RateLimit-Policy\` say what is left. Past twice as many, the connection is closed too, and no body is read. IPv6 addresses count by /64.
- More than ${limit('soft')} from one address are received, but looked at by hand first; of those, more than ${limit('held')} get 429.

## Sending again

Give each new request an \`Idempotency-Key\` of ${limit('key_length')} (or \`idempotency_key\` in a JSON body). Make it a UUID, or 22 and more random characters: any other key counts only together with your address, and the example in this document counts as none. The same key with the same content gives the first answer again for ${limit('key')}, marked \`Idempotent-Replayed: true\`; with other content it is 422, and after the request was withdrawn it is 409. Without a key, the same content from the same address within ${limit('repeat')} is taken once. After a network failure, a 429 or a 503, wait for \`Retry-After\` and send the same request with the same key.

## Errors

Every error is \`{"error":{"code","message","resolution","details"}}\`. \`resolution\` says how to go on; \`details.fields\` names each field with its problem and an example. No error repeats what was sent.

## Other origins

Scripts of any site may call this API and read the answers (CORS, without credentials).

## Versions

No path has a version in it. Within version 1 things are only added: new optional fields, new members of answers, new error codes. Clients ignore members they do not know. Anything to be withdrawn stays for at least ${removalNotice} after it is announced with the \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594) headers.
`
}
