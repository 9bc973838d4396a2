/** The style sheet and the script of the inbox. A hash in the name lets browsers keep them for good. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { inboxPath } from '../../contract/routes.ts'
import type { App } from '../../http/message.ts'
import { createResource } from '../../http/resource.ts'

export type Asset = { path: string; answer: App }

export type Assets = { style: Asset; script: Asset }

/** Nothing of a person is in them. */
export async function readAssets(headers: readonly string[]): Promise<Assets> {
  return {
    style: await readAsset('inbox.css', 'text/css; charset=utf-8', headers),
    script: await readAsset('inbox.js', 'text/javascript; charset=utf-8', headers),
  }
}

async function readAsset(name: string, type: string, headers: readonly string[]): Promise<Asset> {
  const body = readFileSync(new URL(name, import.meta.url))
  const mark = hash('sha256', body, 'base64url').slice(0, 10)
  const kept = ['Cache-Control', 'public, max-age=31536000, immutable', 'Vary', 'Accept-Encoding']
  const resource = createResource({
    body: () => body,
    headers: ['Content-Type', type, ...kept, ...headers],
  })
  await resource.prepare({})
  return { path: `${inboxPath}${name.replace('.', `.${mark}.`)}`, answer: resource.answer }
}
