/** `lead-intake content check`: what is wrong with the content. */
import { readSite } from '../discovery/published-site.ts'
import { exampleWarnings } from '../site/warnings.ts'
import { ContentFault } from '../site/yaml.ts'
import { refuseMissingContent, settingsOrFail } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { toTable } from './table.ts'

type Row = { result: 'ok' | 'warning' | 'failed'; words: string }

export async function checkContentFolder({ json }: { json?: true }): Promise<void> {
  const settings = settingsOrFail()
  refuseMissingContent(settings)
  const rows = examineContent(settings.CONTENT_DIR, settings.BASE_URL ?? '')
  if (json) await print(toJson(rows))
  else
    await print(
      toTable(
        ['', 'finding'],
        rows.map(({ result, words }) => [result, words]),
      ),
    )
  if (rows.some(({ result }) => result === 'failed')) {
    throw new CommandFailed('unwell', 'The service does not start with this content.')
  }
}

export function examineContent(contentDir: string, baseUrl: string): Row[] {
  try {
    const { business, warnings } = readSite({ contentDir, baseUrl, now: Date.now() })
    return [
      { result: 'ok', words: `the service starts with ${contentDir}` },
      ...[...warnings, ...exampleWarnings(business)].map((words) => ({
        result: 'warning' as const,
        words,
      })),
    ]
  } catch (error) {
    if (!(error instanceof ContentFault)) throw error
    return error.sentences.map((words) => ({ result: 'failed', words }))
  }
}
