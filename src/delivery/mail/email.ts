/** An email is a list of blocks, which is rendered as text and as HTML. */
import type { Business } from '../../contract/business.ts'
import { countryOf } from '../../contract/country.ts'
import { inboxPath } from '../../contract/routes.ts'
import { html, Html } from '../../html.ts'

export type Email = {
  subject: string
  blocks: readonly EmailBlock[]
  /** An address that passed `isEmail`. */
  replyTo?: string
  /** Mail programs show this text after the subject. Default: the first block below the heading. */
  preview?: string
  /** The id of the first email about the same lead, so that mail programs show one thread. */
  thread?: string
}

export type EmailParts = {
  business: Business
  baseUrl: string
  now: () => number
}

export type EmailLink = { label: string; href: string; large?: true }

export type EmailBlock =
  | { kind: 'heading' | 'subheading'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'facts'; rows: readonly EmailFact[] }
  | { kind: 'quoted'; label: string; text: string }
  | { kind: 'buttons'; links: readonly EmailLink[] }
  /** A lead in a list. The sender's texts in it have passed `inOneLine`. */
  | {
      kind: 'entry'
      title: string
      text: string
      note: string
      open: EmailLink
      answer?: EmailLink | undefined
    }
  | { kind: 'code'; text: string }
  | { kind: 'small'; text: string; link?: EmailLink }

export type EmailEntry = Extract<EmailBlock, { kind: 'entry' }>

export type EmailFact = { label: string; value: string; href?: string }

export function openInbox(baseUrl: string): EmailLink {
  return { label: 'Open the inbox', href: baseUrl + inboxPath, large: true }
}

/** Adds the heading, and at the end which site has sent the email. */
export function signed(
  { baseUrl }: EmailParts,
  subject: string,
  blocks: readonly EmailBlock[],
  heading = subject,
): Email {
  return { subject, blocks: [{ kind: 'heading', text: heading }, ...blocks, signatureOf(baseUrl)] }
}

export function signatureOf(baseUrl: string): EmailBlock {
  return { kind: 'small', text: `Sent by the website ${baseUrl}` }
}

/** `=?` is split, because a mail program may decode the text after it into control characters (RFC 2047). */
export function inOneLine(text: string, most: number): string {
  const plain = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('=?', '= ?')
    .trim()
  const characters = [...plain]
  if (characters.length <= most) return plain
  const start = characters.slice(0, most - 1).join('')
  return `${start.trim()}…`
}

/** Line breaks become spaces, so that a sender's text cannot look like another line of the email. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').trim()
}

/** Quoted text keeps its lines. Buttons and entries have one-line texts already. */
function inLines(block: EmailBlock): EmailBlock {
  switch (block.kind) {
    case 'quoted':
    case 'buttons':
    case 'entry':
      return block
    case 'facts':
      return { ...block, rows: block.rows.map((row) => ({ ...row, value: oneLine(row.value) })) }
    case 'heading':
    case 'subheading':
    case 'paragraph':
    case 'code':
    case 'small':
      return { ...block, text: oneLine(block.text) }
  }
}

export function toEmailText({ blocks }: Email): string {
  return `${blocks.map(inLines).map(toText).filter(Boolean).join('\n\n')}\n`
}

function toText(block: EmailBlock): string {
  switch (block.kind) {
    case 'heading':
      return underlined(block.text, '=')
    case 'subheading':
      return underlined(block.text, '-')
    case 'facts':
      return block.rows.map(({ label, value }) => `${label}: ${value}`).join('\n')
    case 'quoted':
      return `${block.label}:\n${block.text.replaceAll(/^/gm, '> ')}`
    case 'buttons':
      // Links to call, text or mail are left out: mail programs link numbers and addresses.
      return linesOf(block.links.filter(({ href }) => href.startsWith('http')))
    case 'entry':
      return entryText(block)
    case 'small':
      return block.link ? `${block.text}\n${linesOf([block.link])}` : block.text
    case 'paragraph':
    case 'code':
      return block.text
  }
}

function entryText({ title, text, note, open, answer }: EmailEntry): string {
  const links = linesOf(answer ? [open, answer] : [open])
  return [title, text && `> ${text}`, note, links].filter(Boolean).join('\n')
}

function underlined(text: string, sign: string): string {
  return `${text}\n${sign.repeat(Math.min(72, [...text].length))}`
}

function linesOf(links: readonly EmailLink[]): string {
  return links.map(({ label, href }) => `${label}: ${href}`).join('\n')
}

/** Light styles are inline, because many mail programs drop style sheets. */
const styles = toInline({
  page: `
    margin: 0; padding: 16px; background: #f4ead9; color: #2b2119;
    font: 16px/1.5 Seravek, 'Segoe UI', Ubuntu, 'Noto Sans', Helvetica, Arial, sans-serif`,
  card: `
    max-width: 36em; margin: 0 auto; padding: 20px 24px 24px; background: #fffdf9;
    border-top: 6px solid #8a4a1f; border-radius: 4px; overflow-wrap: anywhere`,
  preview: `display: none; max-height: 0; overflow: hidden; mso-hide: all`,
  heading: `margin: 0 0 12px; font: bold 24px/1.25 Palatino, 'Palatino Linotype', Georgia, serif`,
  subheading: `margin: 24px 0 8px; font: bold 18px/1.25 Palatino, 'Palatino Linotype', Georgia, serif`,
  paragraph: `margin: 0 0 16px`,
  facts: `border-collapse: collapse; margin: 0 0 16px; width: 100%`,
  factLabel: `padding: 6px 16px 6px 0; color: #655445; vertical-align: top; white-space: nowrap; width: 1%`,
  factValue: `padding: 6px 0`,
  line: `border-bottom: 1px solid #e3d0b3`,
  quoteLabel: `margin: 0 0 4px; color: #655445`,
  quote: `margin: 0 0 16px; padding: 12px 16px; background: #faf5ec; border-left: 4px solid #c99a66`,
  buttons: `margin: 0 0 8px`,
  button: `
    padding: 11px 19px; display: inline-block; color: #663410; border: 1px solid #8a4a1f;
    font-weight: bold; text-decoration: none; border-radius: 4px`,
  largeButton: `
    padding: 15px 19px; margin: 0 0 12px; display: block; background: #8a4a1f; color: #fffaf3;
    font-size: 18px; text-align: center; border: 1px solid #8a4a1f;
    font-weight: bold; text-decoration: none; border-radius: 4px`,
  link: `color: #663410; font-weight: bold`,
  entry: `border-collapse: collapse; width: 100%; border-top: 1px solid #e3d0b3`,
  entryText: `padding: 12px 0; vertical-align: top`,
  entryAnswer: `padding: 12px 0 12px 16px; vertical-align: top; white-space: nowrap; width: 1%`,
  note: `color: #655445; font-size: 14px`,
  code: `
    margin: 0 0 16px; letter-spacing: 1px;
    font: bold 28px/1.5 ui-monospace, Menlo, Consolas, monospace`,
  small: `margin: 0 0 8px; color: #655445; font-size: 14px`,
  smallLink: `color: #655445`,
})

/** Styles are our own words, so their quotes need no escaping. */
function toInline<Name extends string>(rules: Record<Name, string>): Record<Name, Html> {
  const inline = (text: string) => new Html(text.replaceAll(/\s+/g, ' ').trim())
  const entries = Object.entries<string>(rules).map(([name, text]) => [name, inline(text)])
  return Object.fromEntries(entries) as Record<Name, Html>
}

/** `!important` outranks the inline styles. */
const dark = new Html(`:root { color-scheme: light dark; supported-color-schemes: light dark }
@media (prefers-color-scheme: dark) {
.page { background: #14100c !important; color: #f8f0e4 !important }
.card { background: #201913 !important; border-color: #94683c !important }
.soft { color: #cdbda9 !important }
.link { color: #f0b679 !important; border-color: #94683c !important }
.main { background: #d99a58 !important; color: #1f1309 !important; border-color: #d99a58 !important }
.line { border-color: #3d3126 !important }
.said { background: #14100c !important; border-color: #94683c !important }
}`)

export function toEmailHtml(email: Email, { country }: Business): string {
  const { subject, blocks } = email
  return html`<!doctype html>
<html lang="${countryOf(country).locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>${dark}</style>
<title>${subject}</title>
</head>
<body class="page" style="${styles.page}">
<div style="${styles.preview}">${previewOf(email)}</div>
<div class="card" style="${styles.card}">
${blocks.map(inLines).map(blockToHtml)}</div>
</body>
</html>
`.text
}

/** Mail programs preview the first text of an email, which would otherwise be the heading. */
function previewOf({ preview, blocks }: Email): string {
  const text = preview ?? blocks.slice(1).map(toText).find(Boolean) ?? ''
  return inOneLine(text, 200)
}

function blockToHtml(block: EmailBlock): Html {
  switch (block.kind) {
    case 'heading':
      return html`<h1 style="${styles.heading}">${block.text}</h1>
`
    case 'subheading':
      return html`<h2 style="${styles.subheading}">${block.text}</h2>
`
    case 'paragraph':
      return html`<p style="${styles.paragraph}">${block.text}</p>
`
    case 'facts':
      return html`<table role="presentation" style="${styles.facts}">
${block.rows.map((row, index) => factRow(row, index + 1 === block.rows.length))}</table>
`
    case 'quoted':
      return html`<p class="soft" style="${styles.quoteLabel}">${block.label}</p>
<blockquote class="said" style="${styles.quote}">${withBreaks(block.text)}</blockquote>
`
    case 'buttons':
      return html`<p style="${styles.buttons}">
${block.links.map(buttonWithin)}</p>
`
    case 'entry':
      return entryRow(block)
    case 'code':
      return html`<p style="${styles.code}">${block.text}</p>
`
    case 'small':
      return html`<p class="soft" style="${styles.small}">${block.text}${smallLink(block.link)}</p>
`
  }
}

/** Outlook does not support `white-space: pre-wrap`. */
function withBreaks(text: string): Html[] {
  return text.split('\n').map((line, index) =>
    index === 0
      ? html`${line}`
      : html`<br>
${line}`,
  )
}

function factRow({ label, value, href }: EmailFact, isLast: boolean): Html {
  const line = isLast ? '' : html`; ${styles.line}`
  const shown = href
    ? html`<a href="${href}" class="link" style="${styles.link}">${value}</a>`
    : value
  return html`<tr>
<td class="soft line" style="${styles.factLabel}${line}">${label}</td>
<td class="line" style="${styles.factValue}${line}">${shown}</td>
</tr>
`
}

/** A button among others. */
function buttonWithin(link: EmailLink): Html {
  return link.large ? largeButton(link) : button(link, '0 8px 8px 0')
}

function largeButton({ label, href }: EmailLink): Html {
  return html`<a href="${href}" class="main" style="${styles.largeButton}">${label}</a>
`
}

function button({ label, href }: EmailLink, margin: string): Html {
  return html`<a href="${href}" class="link" style="margin: ${margin}; ${styles.button}">${label}</a>
`
}

function smallLink(link: EmailLink | undefined): Html | string {
  if (link === undefined) return ''
  return html` <a href="${link.href}" class="soft" style="${styles.smallLink}">${link.label}</a>`
}

function entryRow({ title, text, note, open, answer }: EmailEntry): Html {
  const words = text === '' ? '' : html`<br>${text}`
  return html`<table role="presentation" class="line" style="${styles.entry}">
<tr>
<td style="${styles.entryText}">
<a href="${open.href}" class="link" style="${styles.link}">${title}</a>${words}
<br><span class="soft" style="${styles.note}">${note}</span>
</td>
<td style="${styles.entryAnswer}">${answer ? button(answer, '0') : ''}</td>
</tr>
</table>
`
}
