import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { inboxLeadPath } from '../../src/contract/routes.ts'
import { runCommand } from '../../src/operator/program.ts'
import { Shell } from '../../src/operator/shell.ts'
import { makeSecret } from '../../src/store/secret.ts'
import { type Store } from '../../src/store/store.ts'
import { dayMs, localTime } from '../../src/time.ts'
import type { TestDatabase } from './engines.ts'
import { NODE_COMPILE_CACHE, temporaryFolder, withoutPhotos, type Cleaner } from './service.ts'
import { askOnce, postRequest } from './wire.ts'

export type Run = { code: number; out: string; error: string }

/** `env` of the place is that of its database. */
type Place = { dataDir: string; env?: Record<string, string> }

/** A place for commands beside an app that runs in the test. */
export async function placeOf(
  t: Cleaner,
  { database, store }: { database: TestDatabase; store: Store },
): Promise<Required<Place>> {
  const dataDir = temporaryFolder(t)
  makeSecret(dataDir)
  // PostgreSQL's tables are made before its first answer.
  await store.views.list({ limit: 1 })
  return { dataDir, env: { DATABASE_URL: database.url } }
}

export async function leadIntake(
  place: Place,
  args: string[],
  env: Record<string, string> = {},
): Promise<Run> {
  if (args[0] === 'serve') return startLeadIntake(place, args, env)
  let out = ''
  const own = { DATA_DIR: place.dataDir, ...withoutPhotos, ...place.env, ...env }
  const shell = new Shell(own, (text) => {
    out += text
    return Promise.resolve()
  })
  const { code, complaint } = await runCommand(args, shell)
  return { code, out, error: complaint }
}

const robin = { name: 'Robin', email: 'robin@example.com' }

/** Signs in by a printed link, as the first member if there is none. Returns the cookie. */
export async function signIn(
  place: Place,
  site: { url: string },
  who?: { name: string; email: string },
): Promise<string> {
  return signInBy(await printLink(place, site, who))
}

export async function printLink(
  place: Place,
  { url }: { url: string },
  { name, email } = robin,
): Promise<string> {
  const args = ['inbox', 'link', '--email', email, '--name', name, '--json']
  const { out } = await leadIntake(place, args, { BASE_URL: url })
  return (JSON.parse(out) as { url: string }).url
}

export async function signInBy(link: string): Promise<string> {
  const { pathname, port } = new URL(link)
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    'Sec-Fetch-Site': 'same-origin',
  }
  const welcome = await askOnce(Number(port), postRequest('', headers, pathname))
  return welcome.headers['set-cookie']!.split(';')[0]!
}

/** Books a visit for the day after tomorrow, and shows its time on the receipt. */
export async function bookVisit(site: Place & { url: string }, leadId: string): Promise<void> {
  const { url } = site
  const cookie = await signIn(site, site)
  const { date } = localTime(Date.now() + 2 * dayMs, 'Australia/Sydney')
  const shown = { book: 'visit', day: date, time: '15:00', place: '12 Example Street', shown: '1' }
  const saved = await fetch(`${url}${inboxLeadPath}${leadId}/move`, {
    method: 'POST',
    headers: { cookie, 'Sec-Fetch-Site': 'same-origin' },
    body: new URLSearchParams(shown),
    redirect: 'manual',
  })
  assert.equal(saved.status, 303, await saved.text())
}

export function startLeadIntake(
  { dataDir, env: own = {} }: Place,
  args: string[],
  env: Record<string, string> = {},
): Promise<Run> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['bin/lead-intake.js', ...args],
      {
        env: {
          PATH: process.env['PATH'],
          NODE_COMPILE_CACHE,
          DATA_DIR: dataDir,
          ...withoutPhotos,
          ...own,
          ...env,
        },
      },
      (error, out, stderr) => resolve({ code: error ? Number(error.code) : 0, out, error: stderr }),
    )
  })
}
