/** About 170 requests over every door and page, in order: later ones use what earlier ones answered. */
import type { Session } from './session.ts'

const html = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const markdown = 'text/markdown, text/html;q=0.5'
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded', accept: html }
const own = { 'sec-fetch-site': 'same-origin', origin: 'https://decks.example.com' }

const pages = ['', 'about/', 'agents/', 'areas/', 'contact/', 'decks/', 'how-it-works/']
const morePages = ['pergolas/', 'privacy/', 'thanks/', 'work/']

const documents = [
  '/llms.txt',
  '/.well-known/llms.txt',
  '/llms-full.txt',
  '/openapi.json',
  '/api/openapi.json',
  '/openapi.yaml',
  '/.well-known/mcp.json',
  '/.well-known/mcp/server-card.json',
  '/mcp/server-card',
  '/.well-known/ai-catalog.json',
  '/.well-known/api-catalog',
  '/.well-known/agent-skills/index.json',
  '/.well-known/agent-skills/request-consultation/SKILL.md',
  '/cli.md',
  '/auth.md',
  '/sitemap.xml',
  '/robots.txt',
  '/.well-known/security.txt',
  '/favicon.ico',
  '/readyz',
  '/metrics',
]

const robin = {
  name_1: 'Robin Example',
  email_1: 'robin@example.com',
  phone_1: '0491 570 006',
  text_1: '2481',
  textarea_1: 'A deck of about 4 by 6 metres.\nBehind the house.',
}

export async function sendAll(session: Session): Promise<void> {
  await readPages(session)
  await sendJson(session)
  await sendForms(session)
  await followReceipts(session)
  await speakMcp(session)
  await knockAtInbox(session)
  await workInInbox(session)
}

async function readPages({ get, send }: Session): Promise<void> {
  for (const page of [...pages, ...morePages]) {
    await get(`/${page}`, { accept: html })
    await get(`/${page}`, { accept: markdown })
  }
  for (const twin of ['/index.md', '/contact.md', '/contact/index.md', '/decks.md', '/404.md']) {
    await get(twin)
  }
  for (const path of documents) await get(path)
  await get('/missing', { accept: html })
  await get('/missing', { accept: markdown })
  await get('/missing', { accept: 'application/json' })
  await get('/contact', { accept: html })
  await get('/', {})
  await get('/', { accept: 'text/html;q=0.4, text/markdown;q=0.6' })
  await send('HEAD', '/', { headers: { accept: html } })
  await send('POST', '/decks/', { headers: form, body: 'a=b' })
  await send('DELETE', '/api/lead', { headers: { accept: 'application/json' } })
  await send('OPTIONS', '/api/lead', { headers: { origin: 'https://agent.example.com' } })
  await get('/api/lead', { accept: 'application/json' })
  await send('HEAD', '/api/lead', {})
}

async function sendJson({ send }: Session): Promise<void> {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    send('POST', '/api/lead', {
      headers: { ...json, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const keyed = { 'idempotency-key': 'replay-key-1' }
  for (const headers of [{}, {}, keyed, keyed]) await post(robin, headers)
  await post({ ...robin, textarea_1: 'Another one.' }, keyed)
  await post({ ...robin, botcheck: 'http://spam.example' })
  await post({ ...robin, colour: 'red', n: { a: [1, 2] } })
  await post({ name_1: 'Robin', email_1: 'a..b@example.com' })
  await post({ name_1: 5, email_1: ['x'], phone_1: {}, textarea_1: 'x'.repeat(10_001) })
  for (const body of ['', '{', '[]', `{"x":"${'x'.repeat(70_000)}"}`]) await post(body)
  await post('x', { 'content-type': 'text/plain', accept: 'application/json' })
  await post({ ...robin, textarea_1: 'Prefers HTML.' }, { accept: html })
}

async function sendForms({ send, get, forget }: Session): Promise<void> {
  const post = (fields: Record<string, string>) =>
    send('POST', '/api/lead', {
      headers: form,
      body: new URLSearchParams(fields).toString(),
      as: 'person',
    })
  await post({ ...robin, textarea_1: 'By the form.' })
  for (const accept of [html, markdown]) await get('/thanks/', { accept }, 'person')
  await post({ name_1: '', email_1: 'wrong', textarea_1: 'Typed words <b>stay</b>.' })
  for (const accept of [html, markdown]) await get('/contact/', { accept }, 'person')
  forget('person')
  const latin = 'name_1=Jos%E9&email_1=jose%40example.com&textarea_1=latin'
  for (const body of [latin, '%', `name_1=${'x'.repeat(70_000)}`]) {
    await send('POST', '/api/lead', { headers: form, body })
  }
}

async function followReceipts({ send, get, last }: Session): Promise<void> {
  const lead = { ...robin, email_1: 'wendy@example.com', textarea_1: 'To be withdrawn.' }
  const answer = await send('POST', '/api/lead', { headers: json, body: JSON.stringify(lead) })
  const { status_url = '' } = JSON.parse(answer.body) as { status_url?: string }
  const path = new URL(status_url, 'https://decks.example.com').pathname
  const accepts = [html, markdown, 'application/json']
  for (const accept of accepts) await get(path, { accept })
  for (const headers of [{ accept: 'application/json' }, { ...form, ...own }]) {
    await send('POST', `${path}/withdraw`, { headers })
  }
  for (const accept of accepts) await get(path, { accept })
  for (const accept of accepts) await get(`/receipt/${'0'.repeat(64)}`, { accept })
  last.clear()
}

async function speakMcp({ send }: Session): Promise<void> {
  const call = (message: unknown) =>
    send('POST', '/mcp', {
      headers: { ...json, accept: 'application/json', 'mcp-protocol-version': '2025-11-25' },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    })
  const ask = (method: string, params?: object) =>
    call({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) })
  const tool = (name: string, args: object) => ask('tools/call', { name, arguments: args })
  const methods = ['tools/list', 'resources/list', 'prompts/list', 'ping', 'no/such']
  for (const method of methods) await ask(method)
  await ask('resources/read', { uri: 'https://decks.example.com/llms.txt' })
  await tool('get_business_info', {})
  await tool('list_public_endpoints', {})
  await tool('submit_consultation_lead', { ...robin, textarea_1: 'By MCP.' })
  await tool('submit_consultation_lead', { name_1: '', email_1: 'x' })
  await tool('no_such_tool', {})
  for (const message of ['{', '[]']) await call(message)
  await send('GET', '/mcp', { headers: { accept: 'text/event-stream' } })
}

async function knockAtInbox({ get, send }: Session): Promise<void> {
  const id = '01980000-0000-7000-8000-000000000000'
  for (const path of ['', 'sign-in', 'sign-in/code', 'search', 'settings', 'export', 'no-such']) {
    await get(`/inbox/${path}`, { accept: html })
  }
  await get(`/inbox/lead/${id}`, { accept: html })
  await get('/inbox/link/x', { accept: html })
  await send('POST', `/inbox/lead/${id}/move`, {
    headers: { ...form, ...own },
    body: 'to=contacted',
  })
  await send('POST', `/inbox/lead/${id}/move`, {
    headers: { ...form, origin: 'https://evil.example.com' },
    body: 'to=contacted',
  })
  await send('POST', '/inbox/sign-in', {
    headers: { ...form, ...own },
    body: 'email=nobody%40example.com',
  })
  await send('POST', '/inbox/sign-in/code', { headers: { ...form, ...own }, body: 'code=ABCD1234' })
  await send('POST', '/inbox/sign-in/challenge', { headers: { ...json, ...own }, body: '{}' })
}

async function workInInbox({ get, send, linkForOwner, last }: Session): Promise<void> {
  const page = (path: string) => get(path, { accept: html }, 'owner')
  const post = (path: string, fields: Record<string, string> = {}) =>
    send('POST', path, {
      headers: { ...form, ...own },
      body: new URLSearchParams(fields).toString(),
      as: 'owner',
    })
  const link = await linkForOwner()
  await page(link)
  await post(link, { name: 'Robin', email: 'robin@example.com' })
  await page(link)
  for (const path of [
    '',
    'settings',
    'settings/members',
    'settings/passkeys',
    'sign-in',
    'export',
  ]) {
    await page(`/inbox/${path}`)
  }
  for (const view of [
    'held',
    'booked',
    'contacted',
    'open',
    'done',
    'closed',
    'spam',
    'all',
    'no-such',
  ]) {
    await page(`/inbox/?view=${view}`)
  }
  const idsIn = (path: string) =>
    Array.from(last.get(path)!.matchAll(/\/inbox\/lead\/([0-9a-f-]{36})(?=[?"])/g), ([, id]) => id!)
  const [first = '', third = ''] = new Set(idsIn('/inbox/'))
  const [second = ''] = idsIn('/inbox/?view=held')
  const lead = (id: string) => `/inbox/lead/${id}`
  /** The hidden fields of the page, so that a renamed one is sent, too. */
  const hidden = (id: string) =>
    Object.fromEntries(
      Array.from(
        (last.get(lead(id)) ?? '').matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g),
        ([, name, value]) => [name!, value!],
      ),
    )
  await page(lead(first))
  await post(`${lead(first)}/move`, { ...hidden(first), to: 'contacted' })
  await post(`${lead(first)}/move`, { ...hidden(first), to: 'consultation_booked' })
  await page(lead(first))
  await post(`${lead(first)}/note`, { ...hidden(first), words: 'Rang, call on <Friday>.' })
  await page(lead(first))
  await post(`${lead(first)}/undo`, hidden(first))
  await page(lead(first))
  await post(`${lead(first)}/move`, { ...hidden(first), to: 'won' })
  await post(`${lead(first)}/move`, { ...hidden(first), to: 'nonsense' })
  await post(`${lead(first)}/note`, { ...hidden(first), words: '' })
  await post(`${lead(first)}/note`, { ...hidden(first), words: 'x'.repeat(9000) })
  await page(lead(second))
  await post(`${lead(second)}/move`, { ...hidden(second), to: 'spam' })
  await page(lead(second))
  await post(`${lead(second)}/move`, { ...hidden(second), to: 'new' })
  await page('/inbox/?view=held')
  const found = await post('/inbox/search', { q: 'robin' })
  await page(found.headers['location'] ?? '/inbox/search')
  await post('/inbox/search', { q: '' })
  await page(lead(third))
  await page(`${lead(third)}/export`)
  await post(`${lead(third)}/export`, { which: 'email', format: 'json' })
  await page(`${lead(third)}/erase`)
  await post(`${lead(third)}/erase`, { ...hidden(third), which: 'one' })
  await page(lead(third))
  await post('/inbox/export', { view: 'all', format: 'csv' })
  await post('/inbox/export', { view: 'all', format: 'json' })
  await post('/inbox/export', { view: 'no', format: 'csv' })
  const [, ticked = ''] = /name="lead" value="([^"]*)"/.exec(last.get('/inbox/?view=held')!) ?? []
  await post('/inbox/moves', { to: 'spam', view: 'held', lead: ticked })
  await page('/inbox/?view=held')
  await post('/inbox/settings/members', { name: 'Sam', email: 'sam@example.com' })
  await page('/inbox/settings/members')
  await post('/inbox/sign-out')
  await page('/inbox/')
}
