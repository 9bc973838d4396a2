/** What `npm start` tells node: for whatever runs the service as its owner does. */
import { readFileSync } from 'node:fs'

const { scripts } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { scripts: { start: string } }

export const startFlags = scripts.start.split(' ').filter((word) => word.startsWith('--'))
