/** Reads and checks the front matter of a page. */
import { ContentFault } from './fault.ts'
import type { Page } from './page.ts'
import type { Source } from './placeholders.ts'
import { readYaml } from './yaml.ts'

export type Head = Pick<
  Page,
  'path' | 'name' | 'title' | 'description' | 'updated' | 'label' | 'indexed'
> & { order: number; body: Source }

const known = new Set(['title', 'description', 'updated', 'label', 'order', 'indexed'])

export function readHead(file: string, name: string, text: string): Head {
  const [whole, yaml = ''] = /^---\n([\s\S]*?\n)---\n/.exec(text) ?? []
  const stop = (problem: string, line = 1): never => {
    throw new ContentFault(file, line, problem)
  }
  if (whole === undefined)
    return stop('must begin with its title and description between --- lines')
  const head = (readYaml(yaml, file, 2) ?? {}) as Record<string, unknown>
  for (const key of Object.keys(head)) {
    const line = yaml.split('\n').findIndex((each) => each.startsWith(key)) + 2
    if (!known.has(key)) stop(`${key} is not something a page can have`, line)
  }
  const readText = (key: string): string => {
    const value = head[key]
    return typeof value === 'string' && value.trim() !== '' ? value : stop(`the ${key} is missing`)
  }
  return {
    name,
    path: name === 'index' ? '/' : `/${name}/`,
    title: readText('title'),
    description: readText('description'),
    updated: readDay(head['updated']) ?? stop('updated must be a day such as 2026-11-15'),
    label: head['label'] === undefined ? undefined : readText('label'),
    order: typeof head['order'] === 'number' ? head['order'] : 100,
    indexed: head['indexed'] !== false,
    body: {
      file,
      text: text.slice(whole.length),
      firstLine: whole.split('\n').length,
    },
  }
}

function readDay(value: unknown): string | undefined {
  const day = value instanceof Date ? value.toISOString().slice(0, 10) : value
  return typeof day === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(day) ? day : undefined
}
