/** Reads and checks the front matter of a page. */
import { basename } from 'node:path'
import { ContentFault } from './fault.ts'
import type { Fault, Source } from './fault.ts'
import type { Page } from './page.ts'
import { findFaults, matching, optional, shape, text } from './shape.ts'

export type Head = Pick<
  Page,
  'path' | 'name' | 'title' | 'description' | 'updated' | 'label' | 'indexed'
> & { order: number; body: Source }

const isRight = shape({
  title: text,
  description: text,
  updated: matching(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-11-15'),
  label: optional(text),
  order: () => [],
  indexed: () => [],
})

/** Adds what is wrong to `faults`. Throws a `ContentFault` where nothing can be read. */
export function readHead(file: string, whole: string, faults: Fault[]): Head {
  const [head, yaml = ''] = /^---\n([\s\S]*?\n)---\n/.exec(whole) ?? []
  if (head === undefined) {
    const problem = 'must begin with its title and description between --- lines'
    throw new ContentFault({ file, line: 1, problem })
  }
  const found = findFaults({ file, text: yaml, firstLine: 2 }, isRight)
  faults.push(...found.faults)
  const value = (found.value ?? {}) as Record<string, unknown>
  const words = (key: string) => (typeof value[key] === 'string' ? value[key] : '')
  const name = basename(file, '.md')
  return {
    name,
    path: name === 'index' ? '/' : `/${name}/`,
    title: words('title'),
    description: words('description'),
    updated: words('updated'),
    label: words('label') || undefined,
    order: typeof value['order'] === 'number' ? value['order'] : 100,
    indexed: value['indexed'] !== false,
    body: {
      file,
      text: whole.slice(head.length),
      firstLine: head.split('\n').length,
    },
  }
}
