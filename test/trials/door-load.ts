/**
 * One client at each door that changes something. Each goes on until it is stopped, and notes what it
 * was told: a kill may come between any two of its steps.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { routes, thanksPath } from '../../src/contract/routes.ts'
import { tools } from '../../src/contract/tools.ts'
import { actPath, leadPath, paths } from '../../src/doors/inbox/paths.ts'
import type { Lead } from '../../src/store/leads/rows.ts'
import { consult } from '../support/consult.ts'
import { older } from '../support/mcp.ts'
import {
  askOnce,
  formRequest,
  getRequest,
  jsonRequest,
  postRequest,
  type WireAnswer,
} from '../support/wire.ts'

export const doorNames = [
  'json',
  'form',
  'mcp',
  'cli',
  'withdraw',
  'move',
  'note',
  'erase',
] as const
export type DoorName = (typeof doorNames)[number]

/** A person, whom only this client sends. `id` where an act had to name the lead. */
export type Sent = {
  door: DoorName
  email: string
  message: string
  wasReceived: boolean
  token: string
  reference: string
  id: string
  wasTried: boolean
  wasDone: boolean
}

/** Takes pages of its own, so that the log is soon so long that it goes into the file. */
const long = 'Hardwood, one step up from the lawn.'.repeat(200)

export function noteOf({ email }: Sent): string {
  return `Note about ${email}`
}

export type DoorLoad = {
  sent: Sent[]
  /** How much the door has acknowledged: leads, or the acts on them. */
  acknowledged(door: DoorName): number
  unexpected: string[]
  stop(): Promise<void>
}

export type DoorLoadOptions = {
  port: () => number
  doors?: readonly DoorName[]
  /** The cookie of a member who has just signed in. */
  cookie: () => string
  /** By the token of its receipt. */
  findId: (token: string) => string | undefined
  cwd: string
}

export function startDoorLoad(options: DoorLoadOptions): DoorLoad {
  const { port, doors = doorNames, cookie, findId, cwd } = options
  const sent: Sent[] = []
  const unexpected: string[] = []
  const ending = new AbortController()
  const clients = doors.map(keepActing)
  return {
    sent,
    unexpected,
    acknowledged: (door) =>
      sent.filter((each) => each.door === door && (isWayIn(door) ? each.wasReceived : each.wasDone))
        .length,
    async stop() {
      ending.abort()
      await Promise.all(clients)
    },
  }

  async function keepActing(door: DoorName): Promise<void> {
    for (let number = 1; !ending.signal.aborted; number += 1) {
      const person: Sent = {
        door,
        email: `${door}-${number}@example.com`,
        message: `A deck for ${door}, the ${number}th. ${long}`,
        wasReceived: false,
        token: '',
        reference: '',
        id: '',
        wasTried: false,
        wasDone: false,
      }
      sent.push(person)
      await sendLead(person)
      if (person.wasReceived && !isWayIn(door)) await act(person)
      await sleep(5)
    }
  }

  /** With a key it is sent again until somebody answers. */
  async function sendLead(person: Sent): Promise<void> {
    const fields = {
      name_1: 'Robin Example',
      email_1: person.email,
      textarea_1: person.message,
    }
    if (person.door === 'cli') return sendByCommand(person, fields)
    const request = requestOf(person, fields)
    while (!ending.signal.aborted) {
      const answer = await ask(request)
      if (answer?.status === 200 || answer?.status === 303) return noteReceived(person, answer)
      if (answer !== undefined && answer.status !== 503) unexpected.push(described(person, answer))
      if (person.door === 'form' || person.door === 'mcp') return
      await sleep(20)
    }
  }

  async function sendByCommand(person: Sent, fields: object): Promise<void> {
    const baseUrl = `http://127.0.0.1:${port()}`
    const input = JSON.stringify(fields)
    const { code, out } = await consult(['send', '-', '--yes'], { cwd, baseUrl, input })
    person.wasReceived = code === 0
    if (code === 0) noteTold(person, out)
  }

  function noteReceived(person: Sent, answer: WireAnswer): void {
    const { status, headers, body } = answer
    noteTold(person, status === 200 ? body : (headers['set-cookie'] ?? ''))
    person.wasReceived =
      person.token !== '' && [undefined, thanksPath].includes(headers['location'])
    if (!person.wasReceived) unexpected.push(described(person, answer))
  }

  async function act(person: Sent): Promise<void> {
    if (person.door === 'withdraw') {
      const path = `/receipt/${person.token}/withdraw`
      person.wasTried = true
      const answer = await ask(postRequest('', { Accept: 'application/json' }, path))
      person.wasDone = answer?.status === 200
      return noteOdd(person, answer)
    }
    person.id = findId(person.token) ?? ''
    if (person.id === '') return
    const page = await ask(getRequest(leadPath(person.id), { Cookie: cookie() }))
    const [, version] = /name="version" value="([^"]+)"/.exec(page?.body ?? '') ?? []
    if (version === undefined) return noteOdd(person, page, 200)
    person.wasTried = true
    const answer = await ask(inboxRequest(person, version))
    const to = answer?.headers['location'] ?? ''
    person.wasDone = to === paths.list || to.startsWith(paths.lead)
    noteOdd(person, answer, 303)
  }

  function noteOdd(person: Sent, answer: WireAnswer | undefined, expected = 200): void {
    if (answer === undefined || [expected, 503].includes(answer.status)) return
    // A new session of the member ends the one before.
    if (answer.headers['location'] === paths.signIn || answer.status === 401) return
    unexpected.push(described(person, answer))
  }

  function inboxRequest(person: Sent, version: string): string {
    const { door, id } = person
    const fields = { version, to: 'contacted', words: noteOf(person), which: 'one' }
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Sec-Fetch-Site': 'same-origin',
      Cookie: cookie(),
    }
    const path = actPath(id, door as 'move' | 'note' | 'erase')
    return postRequest(new URLSearchParams(fields).toString(), headers, path)
  }

  /** `undefined`: nobody answered. */
  function ask(request: string): Promise<WireAnswer | undefined> {
    return askOnce(port(), request).catch(() => undefined)
  }
}

/** The others send by JSON first, and then act on that lead. */
function isWayIn(door: DoorName): boolean {
  return ['json', 'form', 'mcp', 'cli'].includes(door)
}

function requestOf({ door, email }: Sent, fields: Record<string, string>): string {
  if (door === 'form') return formRequest(fields)
  if (door !== 'mcp') return jsonRequest(fields, { 'Idempotency-Key': email })
  const params = { name: tools.submitConsultationLead.name, arguments: fields }
  const { headers, body } = older('tools/call', params, { host: undefined })
  return postRequest(body as string, headers as Record<string, string>, routes.mcp.path)
}

function noteTold(person: Sent, text: string): void {
  person.token = /receipt[/=]([0-9a-f]+)/.exec(text)?.[1] ?? ''
  person.reference = /C-\w{5}-\w{5}/.exec(text)?.[0] ?? ''
}

function described({ door }: Sent, { status, headers, body }: WireAnswer): string {
  return `${door}: ${status} ${headers['location'] ?? body.slice(0, 200)}`
}

export type Found = { lost: number; twice: number; altered: number }

/** Whether a database holds what the doors have acknowledged. `notes`: the id of the lead, and the words. */
export function compareActs(sent: Sent[], leads: Lead[], notes: string[]): Found {
  const found = { lost: 0, twice: 0, altered: 0 }
  const byEmail = Map.groupBy(leads, ({ values }) => values.email)
  const byId = new Map(leads.map((lead) => [lead.id, lead]))
  for (const person of sent) {
    const { door, wasTried, wasDone } = person
    const own = byEmail.get(person.email) ?? []
    const isErased = door === 'erase' && byId.get(person.id)?.state === 'erased'
    if (own.length > 1) found.twice += 1
    if (own.some((lead) => isAltered(person, lead))) found.altered += 1
    if (person.wasReceived && own.length === 0 && !isErased) found.lost += 1
    // What nobody tried to erase is still there.
    if (isErased && !wasTried) found.lost += 1
    if (!wasDone) continue
    const state = byId.get(person.id)?.state ?? own[0]?.state
    if (door === 'withdraw' && state !== 'withdrawn') found.lost += 1
    if (door === 'move' && state !== 'contacted') found.lost += 1
    if (door === 'erase' && (state !== 'erased' || own.length > 0)) found.lost += 1
    const noted = notes.filter((each) => each === `${person.id} ${noteOf(person)}`)
    if (door === 'note' && noted.length === 0) found.lost += 1
    if (noted.length > 1) found.twice += 1
  }
  return found
}

function isAltered({ email, message }: Sent, { values }: Lead): boolean {
  return values.name !== 'Robin Example' || values.email !== email || values.message !== message
}
