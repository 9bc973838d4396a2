/** CPU time of a page, compared with a bare node:http server that sends the same bytes. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case } from './case.ts'
import { makeFolder, removeFolder } from './cleanup.ts'
import { goals } from './goals.ts'
import { cpuMethod } from './methods.ts'
import { programs } from './programs.ts'
import { cpuRatio } from './ratios.ts'
import { page, pageForms } from './requests.ts'
import type { PageForm } from './requests.ts'
import { fetchPage } from './site.ts'

type PageCase = PageForm & { name: string; meaning: string; status: 200 | 304; log: 'on' | 'off' }

const table: readonly PageCase[] = [
  ...(['on', 'off'] as const).flatMap((log) =>
    (['html', 'br', 'markdown'] as const).map((form) => ({
      ...pageForms[form],
      name: log === 'on' ? `page-${form}` : `page-${form}-unlogged`,
      meaning: `the home page as ${form}, access log ${log}, against a bare server with the same bytes`,
      status: 200 as const,
      log,
    })),
  ),
  {
    ...pageForms.html,
    name: 'page-304',
    meaning: 'a page that the client has cached, against the bare server that sends it whole',
    status: 304,
    log: 'on',
  },
]

export const pageCases: readonly Case[] = table.map((each) => ({
  name: each.name,
  meaning: each.meaning,
  needsLinux: true,
  run: async (effort) => {
    const { accept, encoding, status, log } = each
    const folder = makeFolder()
    try {
      const { body, etag } = await fetchPage(programs.service, accept, encoding)
      const file = join(folder, 'body')
      writeFileSync(file, body)
      const template = page({ accept, encoding }, status === 304 ? etag : undefined)
      const reference = { program: programs.bareBytes, settings: { BODY_FILE: file } }
      const settings = { LOG_LEVEL: log === 'on' ? 'info' : 'warn' }
      const figure = await cpuRatio(
        {
          reference: { ...reference, template, status: 200 },
          subject: { program: programs.service, settings, template, status },
        },
        cpuMethod(effort),
        goals.page,
      )
      return [{ ...figure, remark: `${figure.remark}, ${body.length} bytes` }]
    } finally {
      removeFolder(folder)
    }
  },
}))
