/** The site in memory: content, static files, the layout of every page and its style. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Html } from '../html.ts'
import { readContent, type Content } from './content.ts'
import { layout, type Frame, type FramedPage, type SharedPicture } from './layout.ts'
import { PublicFiles, type PublicFile } from './public-files.ts'

export type Site = Content & {
  baseUrl: string
  files: readonly PublicFile[]
  /** Content-Security-Policy of every page. */
  policy: string
  show: (page: FramedPage) => Html
}

const publicFolder = fileURLToPath(new URL('../../public', import.meta.url))

/** Throws a `ContentFault` that says what to change, and where. */
export function buildSite(contentDir: string, baseUrl: string): Site {
  const files = new PublicFiles(publicFolder, contentDir)
  const content = readContent(contentDir, baseUrl, files)
  const ofProgram = readFileSync(join(publicFolder, 'site.css'), 'utf8')
  const style = compactStyle(`${ofProgram}\n${content.ownStyle}`)
  const frame: Frame = {
    business: content.business,
    baseUrl,
    navigation: content.pages.flatMap(({ path, label }) => (label ? [{ path, label }] : [])),
    style,
    paper: paperOf(style),
    share: findShare(files),
  }
  const show = (page: FramedPage) => layout(frame, page)
  return { ...content, baseUrl, files: files.list, policy: policyFor(style), show }
}

/** The owner may bring his own, as a PNG or a photo. */
const sharePaths = ['/share.jpg', '/share.png']

function findShare(files: PublicFiles): SharedPicture | undefined {
  for (const path of sharePaths) {
    const size = files.sizeOf(path)
    if (size !== undefined) return { path, ...size }
  }
  return undefined
}

/** Allows the inlined style sheet by its hash, and otherwise only this origin. */
function policyFor(style: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "img-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** `--paper` by day and by night, for the browser's own bars. The last one counts, as in the browser. */
export function paperOf(style: string): Frame['paper'] {
  const paper = { light: '', dark: '' }
  const rules = /(?:@media([^{]*)\{\s*)?:root ?\{[^}]*--paper: ?([^;}]+)/g
  for (const [, media = 'light dark', colour] of style.matchAll(rules)) {
    for (const time of ['light', 'dark'] as const) {
      if (media.includes(time)) paper[time] = colour!.trim()
    }
  }
  return paper
}

/** Without comments and indentation: the style is part of every page, and one is compressed for each visitor. */
export function compactStyle(style: string): string {
  return style
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .trim()
}
