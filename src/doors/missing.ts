/** Where there is nothing: said in HTML, Markdown or JSON, as the client likes it. */
import { withHeaders } from '../http/answer.ts'
import type { App, Ask } from '../http/message.ts'
import { prefersJson } from './client-type.ts'
import { corsHeaders } from './cors.ts'
import { errorAnswer } from './errors.ts'
import { varies, wantsMarkdown } from './pages.ts'
import type { PageDoors } from './pages.ts'

export function createMissingDoor({ page, twin }: PageDoors): App {
  const json = withHeaders(errorAnswer('NOT_FOUND'), ...varies)
  return (ask) => {
    if (wantsMarkdown(ask)) return twin(ask)
    if (isProgram(ask)) return withHeaders(json, ...corsHeaders(ask))
    return page(ask)
  }
}

/** Below /api/ there are only programs, unless they ask for HTML by name; elsewhere they say so. */
function isProgram(ask: Ask): boolean {
  if (prefersJson(ask.headers.accept)) return true
  const asksForHtml = ask.headers.accept?.includes('text/html') ?? false
  const isReading = ask.method === 'GET' || ask.method === 'HEAD'
  return !asksForHtml && (!isReading || ask.path.startsWith('/api/'))
}
