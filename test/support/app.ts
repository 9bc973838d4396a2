/** The service as a function, on a real database in a folder of its own: no port, and a clock that a test can hold. */
import { nobody } from '../../src/contract/notices.ts'
import { Notifier } from '../../src/delivery/notifier.ts'
import { createApp, type AppParts } from '../../src/app.ts'
import { isStreamed, type Answer, type Ask, type Body } from '../../src/http/message.ts'
import { defaultRateLimit } from '../../src/contract/limits.ts'
import { Store } from '../../src/store/store.ts'
import { exampleSite, listeningLog, settingsOf } from './delivery.ts'
import type { Cleaner } from './service.ts'
import { newDatabase } from './engines.ts'

export type TestApp = {
  ask(method: string, path: string, request?: TestRequest): Promise<TestAnswer>
  postJson(body: unknown, headers?: Record<string, string>, from?: string): Promise<TestAnswer>
  postForm(
    fields: Record<string, string> | [string, string][],
    headers?: Record<string, string>,
  ): Promise<TestAnswer>
  store: Store
  clock: { now: number }
}

export type TestRequest = {
  headers?: Record<string, string>
  /** `too-large` stands for a body past the limit, of which nothing was kept. */
  body?: string | Body
  /** The address of a client elsewhere; without it, a tool on this machine asks. */
  from?: string | undefined
}

export type TestAnswer = {
  status: number
  headers: Record<string, string>
  cookies: readonly string[]
  text: string
  json: unknown
}

const now = Date.UTC(2026, 10, 15, 9)

export function openTestApp(t: Cleaner, parts: Partial<AppParts> = {}): TestApp {
  const clock = { now }
  const store = new Store(newDatabase(t).open(), nobody)
  const service = {
    store,
    secret: Buffer.alloc(32, 7),
    site: exampleSite,
    rateLimit: defaultRateLimit,
    reportFailure() {},
    now: () => clock.now,
    ...parts,
  }
  const delivery = parts.delivery ?? withoutChannels(service)
  t.after(() => store.close())
  const app = createApp({ ...service, delivery })
  let requests = 0

  const ask = async (method: string, path: string, request: TestRequest = {}) => {
    const { headers = {}, body = '', from } = request
    const [pathOnly = '', query = ''] = path.split('?')
    const whole: Ask = {
      id: `test-${(requests += 1)}`,
      method,
      path: pathOnly,
      query,
      headers: Object.fromEntries(Object.entries(headers).map(([k, v]) => [k.toLowerCase(), v])),
      body: toBody(body),
      address: from ? { network: from, local: false } : { network: '127.0.0.1', local: true },
    }
    return toTestAnswer(await app.router.answer(whole))
  }
  return {
    ask,
    postJson: (body, headers = {}, from) =>
      ask('POST', '/api/lead', {
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        from,
      }),
    postForm: (fields, headers = {}) =>
      ask('POST', '/api/lead', {
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
          ...headers,
        },
        body: new URLSearchParams(fields).toString(),
      }),
    store,
    clock,
  }
}

/** Notifies nobody, because no channel is set and no phone is added. */
function withoutChannels(service: Omit<AppParts, 'delivery'>): Notifier {
  const { business, baseUrl } = service.site
  const settings = settingsOf({})
  return new Notifier({ ...service, settings, business, baseUrl, log: listeningLog([]) })
}

function toBody(body: string | Body): Body {
  if (body === 'too-large') return { start: Buffer.from('') }
  return typeof body === 'string' ? Buffer.from(body) : body
}

export async function toTestAnswer(answer: Answer): Promise<TestAnswer> {
  const { status, cookies = [] } = answer
  const text = await textOf(answer)
  const named = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value])
  const headers = Object.fromEntries(named) as Record<string, string>
  const json = headers['content-type'] === 'application/json' ? JSON.parse(text) : undefined
  return { status, headers, cookies, text, json }
}

export async function textOf(answer: Answer): Promise<string> {
  if (!isStreamed(answer)) return answer.body.toString()
  let text = ''
  for await (const piece of answer.body(new AbortController().signal)) text += piece
  return text
}
