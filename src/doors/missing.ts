/** 404 in HTML, Markdown or JSON, as the client prefers. */
import { routes } from '../contract/routes.ts'
import { withHeaders, type App, type Ask } from '../http/message.ts'
import { corsHeaders, prefersJson, prefersMarkdown } from './clients.ts'
import { errorAnswer } from './errors.ts'
import { varies, type PageDoors } from './pages.ts'

export function createMissingDoor({ page, twin }: PageDoors): App {
  const json = withHeaders(errorAnswer('NOT_FOUND'), ...varies)
  return (ask) => {
    if (prefersMarkdown(ask.headers.accept)) return twin(ask)
    if (isProgram(ask)) return withHeaders(json, ...corsHeaders(ask))
    return page(ask)
  }
}

const programPaths = ['/api/', routes.receipt.path]

/** It prefers JSON; or it does not ask for HTML, and sends something or asks where programs do. */
function isProgram(ask: Ask): boolean {
  if (prefersJson(ask.headers.accept)) return true
  const asksForHtml = ask.headers.accept?.includes('text/html') ?? false
  const isReading = ask.method === 'GET' || ask.method === 'HEAD'
  const isForPrograms = programPaths.some((start) => ask.path.startsWith(start))
  return !asksForHtml && (!isReading || isForPrograms)
}
