/** The style sheet and the script of the inbox. A hash in the name lets browsers keep them for good. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { inboxPath } from '../../contract/routes.ts'
import type { App } from '../../http/message.ts'
import { createResource } from '../../http/resource.ts'

export type Asset = { path: string; answer: App }

export type Assets = { style: Asset; script: Asset }

type File = { name: string; type: string; from: readonly string[] }

/** In the order of the cascade; sent as one file. */
const style = {
  name: 'inbox.css',
  type: 'text/css; charset=utf-8',
  from: ['inbox.css', 'leads.css', 'lead.css', 'keyboard.css'],
}

const script = {
  name: 'inbox.js',
  type: 'text/javascript; charset=utf-8',
  from: ['inbox.js', 'keyboard.js'],
}

/** Nothing of a person is in them. */
export async function readAssets(headers: readonly string[]): Promise<Assets> {
  return { style: await readAsset(style, headers), script: await readAsset(script, headers) }
}

async function readAsset({ name, type, from }: File, headers: readonly string[]): Promise<Asset> {
  const body = Buffer.concat(from.map((file) => readFileSync(new URL(file, import.meta.url))))
  const mark = hash('sha256', body, 'base64url').slice(0, 10)
  const kept = ['Cache-Control', 'public, max-age=31536000, immutable', 'Vary', 'Accept-Encoding']
  const resource = createResource({
    body: () => body,
    headers: ['Content-Type', type, ...kept, ...headers],
  })
  await resource.prepare({})
  return { path: `${inboxPath}${name.replace('.', `.${mark}.`)}`, answer: resource.answer }
}
