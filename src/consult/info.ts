/** `consult info`: the site guide for agents, which begins with the business (llmstxt.org). */
import { documents } from '../contract/documents.ts'
import { toFailure } from './answers.ts'
import type { Call } from './arguments.ts'
import { ask } from './ask-patiently.ts'
import { toPlainLines } from './output.ts'
import type { Result } from './output.ts'
import { readSite } from './site.ts'

export async function infoCommand(call: Call): Promise<Result> {
  const site = readSite(call)
  const answer = await ask(site, {
    method: 'GET',
    path: documents.llms.path,
    accept: 'text/plain, text/markdown;q=0.9, application/json;q=0.1',
  })
  const guide = readGuide(answer.text)
  if (answer.status !== 200 || guide === undefined) throw toFailure(site, answer)
  return {
    text: `${toPlainLines(answer.text.trimEnd())}\n`,
    json: { base_url: site.baseUrl, ...guide },
  }
}

export type Guide = {
  name: string
  summary: string
  /** The paragraphs before the first section. */
  about: string
  sections: { title: string; links: { title: string; url: string; description: string }[] }[]
}

/** One heading, a quoted summary, text, then sections of links. `undefined`: it is no such guide. */
export function readGuide(text: string): Guide | undefined {
  const [head = '', ...sections] = text.replaceAll('\r\n', '\n').split(/^## /m)
  const name = /^# (.+)$/m.exec(head)?.[1]
  if (name === undefined) return undefined
  const rest = head.replace(/^# .+$/m, '')
  const quoted = [...rest.matchAll(/^> ?(.*)$/gm)].map(([, line]) => line)
  return {
    name: name.trim(),
    summary: quoted.join(' ').trim(),
    about: rest.replaceAll(/^>.*$/gm, '').trim(),
    sections: sections.map((section) => ({
      title: section.split('\n', 1)[0]!.trim(),
      links: [...section.matchAll(/^[-*] \[([^\]]*)\]\(([^)\s]*)\)(?:: *(.*))?$/gm)].map(
        ([, title = '', url = '', description = '']) => ({ title, url, description }),
      ),
    })),
  }
}
