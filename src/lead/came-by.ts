/** How a lead came in, as the owner reads it. */
import type { Door } from '../contract/doors.ts'

export const doorWords: Record<Door, string> = {
  form: 'the form',
  json: 'an agent or a program',
  mcp: 'an agent',
  cli: 'the command-line tool',
  webmcp: 'an agent in the browser',
}
