/** Texts that several guides share. */
import { fields, keyName } from '../contract/fields.ts'
import { routes } from '../contract/routes.ts'
import { tools } from '../contract/tools.ts'
import { twinPathOf } from '../site/page.ts'
import { list, shellCode } from '../site/write-markdown.ts'
import { indexedPages } from './facts.ts'
import type { Facts } from './facts.ts'

export const consent =
  'Send a request only for a person who asked for it. Show them the details first, and send those and no others. Never send made-up details, and never send a request to try something out.'

export const noBooking =
  'A request is no booking and gives no price. I read it myself and get in touch with the person to arrange a time.'

export const sendAgain = `Choose one random \`Idempotency-Key\` for each new request (in the tool: \`${keyName}\`) and send the same key with every retry. It is then taken once, however often it is sent. After a failed connection, a 429 or a 503, wait for the seconds in \`Retry-After\` and send the same again. After a 400, put right what \`error.details.fields\` names.`

export const keepReceipt =
  'Show the person the `message` and the `reference`, and give them the `status_url`. It is private to them: there they see what has become of the request, and can withdraw it.'

export const howToWrite =
  'When you write for me, call it a Consultation, say "I" and "my", and avoid language that fishes for prices.'

export function fieldList(): string {
  return list(
    fields.map(({ name, required, description }) =>
      required ? `\`${name}\` (required): ${description}` : `\`${name}\`: ${description}`,
    ),
  )
}

/** Links to the twins. */
export function pageList(facts: Facts): string {
  return list(
    indexedPages(facts).map(
      ({ path, title, description }) =>
        `[${title}](${facts.baseUrl}${twinPathOf(path)}): ${description}`,
    ),
  )
}

export function toolList(): string {
  return list(Object.values(tools).map(({ name, title }) => `\`${name}\`: ${title}.`))
}

/** The shortest valid request as a command. The key is made with what every system has. */
export function curlToSend(baseUrl: string): string {
  return shellCode(
    "KEY=$(od -An -tx1 -N16 /dev/urandom | tr -d ' \\n')",
    `curl ${baseUrl}${routes.lead.path} \\`,
    "  -H 'Content-Type: application/json' \\",
    '  -H "Idempotency-Key: $KEY" \\',
    `  -d '${JSON.stringify(smallestLead())}'`,
  )
}

/** A call of the tool without an MCP library: this version of the protocol needs no handshake. */
export function curlToCall(baseUrl: string): string {
  const params = { name: tools.submitConsultationLead.name, arguments: smallestLead() }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  return shellCode(
    `curl ${baseUrl}${routes.mcp.path} \\`,
    "  -H 'Content-Type: application/json' \\",
    "  -H 'Accept: application/json, text/event-stream' \\",
    "  -H 'MCP-Protocol-Version: 2025-11-25' \\",
    `  -d '${JSON.stringify(message)}'`,
  )
}

function smallestLead(): Record<string, string> {
  return Object.fromEntries(
    fields.filter(({ required }) => required).map(({ name, example }) => [name, example]),
  )
}
