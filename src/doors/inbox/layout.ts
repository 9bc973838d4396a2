/** The HTML around every page of the inbox. It has no part of the public site but its mark. */
import type { Visit } from '../../access/sessions.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { Answer, Ask } from '../../http/message.ts'
import { mark } from '../../site/layout.ts'
import { htmlAnswer } from './answers.ts'
import { paths } from './paths.ts'

export type InboxPage = {
  status?: number
  title: string
  /** The inside of `<main>`. */
  main: Html
  /** Whose page it is; without it, that of somebody who is not signed in. */
  visit?: Visit | undefined
  headers?: readonly string[]
}

export type ShowPage = (ask: Ask, page: InboxPage) => Promise<Answer>

export type LayoutParts = {
  businessName: string
  stylePath: string
  scriptPath: string
}

export function createShowPage({ businessName, stylePath, scriptPath }: LayoutParts): ShowPage {
  return (ask, { status = 200, title, main, visit, headers }) =>
    htmlAnswer(
      ask,
      status,
      html`<!DOCTYPE html>
<html lang="en-AU">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Inbox</title>
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${bar}">
<link rel="stylesheet" href="${stylePath}">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<script type="module" src="${scriptPath}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar">
<a class="brand" href="${paths.list}">${mark}<span>Inbox <small>${businessName}</small></span></a>
${visit === undefined ? '' : navigation(ask.path)}</header>
<main id="main">
${main}</main>
</body>
</html>
`,
      headers,
    )
}

/** `--bar` of the style sheet, for the browser's own bars. */
const bar = '#2b2018'

function navigation(path: string): Html {
  const here = path.startsWith(paths.settings) ? html` aria-current="page"` : ''
  return html`<nav aria-label="Inbox"><a href="${paths.settings}"${here}>Settings</a></nav>
`
}
