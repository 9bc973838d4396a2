/** `lead-intake content check`: what is wrong with the content. */
import { readContentAnew } from '../discovery/open-site.ts'
import { exampleWarnings } from '../site/example.ts'
import { ContentFault } from '../site/fault.ts'
import { refuseMissingContent, settingsOrFail } from './open.ts'
import { CommandFailed, print, toJson } from './output.ts'
import { toTable } from './table.ts'

type Row = { result: 'ok' | 'warning' | 'failed'; words: string }

export async function checkContentFolder({ json }: { json?: true }): Promise<void> {
  const settings = settingsOrFail()
  refuseMissingContent(settings)
  const rows = await examineContent(settings.CONTENT_DIR, settings.BASE_URL ?? '')
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

export async function examineContent(folder: string, baseUrl: string): Promise<Row[]> {
  try {
    const { business, warnings } = await readContentAnew(folder, baseUrl)
    return [
      { result: 'ok', words: `the service starts with ${folder}` },
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
