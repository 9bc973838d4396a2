/** robots.txt: all may be read; the owner decides what it may be used for (Content-Signal). */
import { documents } from '../contract/documents.ts'
import type { Facts } from './facts.ts'

export function writeRobots({ baseUrl, business }: Facts): string {
  const { search, aiInput, aiTrain } = business.crawlers
  const signals = [
    `search=${yesOrNo(search)}`,
    `ai-input=${yesOrNo(aiInput)}`,
    `ai-train=${yesOrNo(aiTrain)}`,
  ]
  return [
    `# For agents: site guide at ${baseUrl}${documents.llms.path}`,
    'User-agent: *',
    `Content-Signal: ${signals.join(', ')}`,
    'Allow: /',
    '',
    `Sitemap: ${baseUrl}${documents.sitemap.path}`,
    '',
  ].join('\n')
}

function yesOrNo(allowed: boolean): string {
  return allowed ? 'yes' : 'no'
}
