/** The style sheet and the script of the inbox. A hash in the name lets browsers keep them for good. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { inboxPath } from '../../contract/routes.ts'
import { createResource, type Resource } from '../resource.ts'

export type Asset = Resource & { path: string }

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
export function readAssets(headers: readonly string[]): Assets {
  return { style: readAsset(style, headers), script: readAsset(script, headers) }
}

function readAsset({ name, type, from }: File, headers: readonly string[]): Asset {
  const body = Buffer.concat(from.map((file) => readFileSync(new URL(file, import.meta.url))))
  const mark = hash('sha256', body, 'base64url').slice(0, 10)
  const kept = ['Cache-Control', 'public, max-age=31536000, immutable', 'Vary', 'Accept-Encoding']
  const resource = createResource({
    body: () => body,
    headers: ['Content-Type', type, ...kept, ...headers],
  })
  return { ...resource, path: `${inboxPath}${name.replace('.', `.${mark}.`)}` }
}
