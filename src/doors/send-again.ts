/** The page for a browser when nothing could be taken just now: it keeps every typed word and offers to send again. */
import { hash } from 'node:crypto'
import { errors } from '../contract/errors.ts'
import { fields, trapName } from '../contract/fields.ts'
import { routes } from '../contract/routes.ts'
import { pageAnswer } from '../http/answer.ts'
import { html, Html } from '../http/html.ts'
import type { Answer } from '../http/message.ts'
import { typedText } from './draft.ts'
import type { LeadBody } from './read-lead.ts'

type Cause = 'RATE_LIMITED' | 'STORAGE_UNAVAILABLE'

const words: Record<Cause, string> = {
  RATE_LIMITED:
    'Many requests came from your network within a minute, so yours has to wait a moment. Everything you typed is still here.',
  STORAGE_UNAVAILABLE:
    'I could not keep your request just now, so it has not been received yet. Everything you typed is still here.',
}

const style = `
body{font:1.0625rem/1.6 system-ui,sans-serif;max-width:38rem;margin:0 auto;padding:2rem 1.25rem;color:#2b2118;background:#fbf7f0}
h1{font:600 1.75rem/1.2 Georgia,serif;margin:0 0 1rem}
h2{font:600 1.25rem/1.2 Georgia,serif;margin:2rem 0 0}
label{display:block;margin:1rem 0 .25rem;font-weight:600}
input,textarea{box-sizing:border-box;width:100%;padding:.65rem .75rem;font:inherit;color:inherit;background:#fff;border:1px solid #8a7660;border-radius:.4rem}
button{margin-top:.5rem;padding:.8rem 1.6rem;font:inherit;font-weight:600;color:#fff;background:#7a4a21;border:0;border-radius:.4rem}
:focus-visible{outline:3px solid #b5651d;outline-offset:2px}
@media(prefers-color-scheme:dark){body{color:#f1e8dc;background:#1d1712}input,textarea{background:#2a221b;border-color:#9c8870}button{background:#95591f}}
`
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function sendAgainPage(
  cause: Cause,
  body: LeadBody,
  retryAfterS: number,
  more: string[],
): Answer {
  const typed = typedText(body)
  const page = html`<!doctype html>
<html lang="en-AU">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>Please send it again</title>
<style>${new Html(style)}</style>
<h1>Please send it again</h1>
<p>${words[cause]} Wait ${retryAfterS} seconds, then press the button. It will not be taken twice.</p>
<form method="post" action="${routes.lead.path}">
${carriedAlong(body).map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
)}<button>Send again</button>
<h2>What you typed</h2>
${fields.map((field) => input(field, typed[field.name] ?? ''))}
</form>
</html>
`
  return pageAnswer(
    errors[cause].status,
    page.text,
    policy,
    'Retry-After',
    String(retryAfterS),
    ...more,
  )
}

/** What no one typed goes along unseen: the nonce, and unlisted fields. The trap does not. */
function carriedAlong(body: LeadBody): [name: string, value: string][] {
  const shown = new Set<string>([...fields.map(({ name }) => name), trapName])
  return Object.entries(body)
    .filter(([name]) => !shown.has(name))
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map(
        (each) => [name, String(each)] as [string, string],
      ),
    )
}

function input(field: (typeof fields)[number], value: string): Html {
  const { name, label, input: type, autocomplete } = field
  const control =
    type === 'textarea'
      ? // The parser drops the first newline of a textarea.
        html`<textarea id="${name}" name="${name}" rows="8">
${value}</textarea>`
      : html`<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}">`
  return html`<label for="${name}">${label}</label>${control}
`
}
