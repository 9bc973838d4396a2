/** `lead-intake content check`: what is wrong with the content. */
import { type Settings } from '../config.ts'
import { readSite } from '../discovery/published-site.ts'
import { exampleWarnings } from '../site/site.ts'
import { ContentFault } from '../site/yaml.ts'
import { refuseMissingContent } from './open.ts'
import { CommandFailed, failed, ok, warning, type Finding } from './output.ts'
import { type Shell } from './shell.ts'

export async function checkContent(shell: Shell, { json }: { json?: true }): Promise<void> {
  const settings = shell.settings()
  refuseMissingContent(settings)
  const found = examineContent(settings)
  await shell.printRows(found, { columns: ['result', 'words'], json })
  if (found.some(({ result }) => result === 'failed')) {
    throw new CommandFailed('unwell', 'The service does not start with this content.')
  }
}

/** A fault stops the next start; a warning does not. */
export function examineContent(settings: Pick<Settings, 'CONTENT_DIR' | 'BASE_URL'>): Finding[] {
  const { CONTENT_DIR: contentDir, BASE_URL: baseUrl } = settings
  try {
    const { business, warnings } = readSite({ contentDir, baseUrl, now: Date.now() })
    return [
      ok('content', `the service starts with ${contentDir}`),
      ...[...warnings, ...exampleWarnings(business)].map((words) => warning('content', words)),
    ]
  } catch (error) {
    if (!(error instanceof ContentFault)) throw error
    return error.sentences.map((words) => failed('content', words))
  }
}
