#!/usr/bin/env node
/**
 * The command `consult` sends a Consultation request to a site that runs this service. It is one
 * file without dependencies, for Node 20 or later, so that people can download and run it.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { text as readAll } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

// The site that serves this file writes its address and version into these two lines.
const home = ''
const version = '0.0.0'

const help = `Usage: consult <command> [options]

Sends a Consultation request in stages. Nothing is sent before "send --yes".

  consult info                 Show the rules of the site, and the fields of a request.
  consult draft [file]         Write a request into a file on this machine.
  consult check [file]         Check the draft against the rules of the site, without sending it.
  consult send [file]          Show what would be sent; with --yes, send it.
  consult status <receipt>     Show what has become of the request.
  consult another-time <receipt> --words <text>
                               Say what asking for another time does; with --yes, ask.
  consult withdraw <receipt>   Say what withdrawing does; with --yes, withdraw the request.
  consult erase <receipt>      Say what erasing does; with --yes, erase the person's details.

[file] is consult-draft.json unless you name another; "check" and "send" read "-" from standard
input. <receipt> is the private status_url that "send" gave, or the token at its end.

  --name <text>, ...           draft: the fields, as "info" lists them. "-" reads standard input.
  --words <text>               another-time: the days and hours that suit. "-" reads standard input.
  --idempotency-key <key>      draft, send: instead of a new key, or that of the draft.
  --force                      draft: overwrite a draft that is there already.
  --yes                        send, another-time, withdraw, erase: the person agreed.
  --base-url <url>             The site. Default: CONSULT_BASE_URL, or where this command came from.

The result is one JSON object on standard output, also for an error. Sentences for people are on
standard error. Exit codes:

  0  Done.
  1  The site gave an answer that this service never gives, or the command itself failed.
  2  The command line, the draft or a field is wrong. Nothing was received.
  3  No answer, or the site cannot do it just now. Retries with the same key stay one request.
  4  It was not confirmed with --yes, or the site will not do it.
`

const draftFile = 'consult-draft.json'
const leadPath = '/api/lead'
const patience = { timeoutMs: 10_000, retries: 4, firstWaitMs: 500, longestWaitMs: 60_000 }

const commands = {
  info,
  draft,
  check,
  send,
  status,
  'another-time': askForAnotherTime,
  withdraw,
  erase,
}
const [text, flag] = [{ type: 'string' }, { type: 'boolean' }]
const options = { 'base-url': text, 'idempotency-key': text, force: flag, yes: flag }

/** The exit code for each kind of failure. */
const exits = { UNEXPECTED: 1, INVALID_INPUT: 2, NO_ANSWER: 3, REFUSED: 4 }

/** An expected failure. `error` has the same form as an error in an answer of the site. */
export class Failed extends Error {
  constructor(kind, message, resolution = 'See "consult --help".', more = {}) {
    super(message)
    this.exitCode = exits[kind]
    this.error = { code: kind, message, resolution, ...more }
  }
}

const invalid = (...words) => new Failed('INVALID_INPUT', ...words)
const refused = (...words) => new Failed('REFUSED', ...words)

/** `json` is the result, and `sentence` is for people. Throws `Failed`. */
export async function run(words) {
  const [name, ...rest] = words
  if (Object.hasOwn(commands, name)) return commands[name](rest)
  throw invalid(`The commands are ${Object.keys(commands).join(', ')}; there is no "${name}".`)
}

function parse(args, ofFields = {}, strict = true) {
  try {
    const known = { options: { ...options, ...ofFields }, strict, allowPositionals: true }
    const { values, positionals } = parseArgs({ args, ...known })
    if (strict && positionals.length > 1) throw new Error('Put quotes around a value with blanks.')
    return { values, argument: positionals[0] }
  } catch (error) {
    throw invalid(error.message.split(' To specify a positional')[0])
  }
}

/** `origin` is the site in the address of a receipt, if there is one. */
function readSite(values, origin) {
  const named = values['base-url'] ?? origin ?? (process.env.CONSULT_BASE_URL || home)
  const url = URL.canParse(named) ? new URL(named) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw invalid('Name the site: --base-url https://www.example.com, without a path or a user.')
}

async function info(words) {
  return { json: await describe(readSite(parse(words).values)) }
}

async function draft(words) {
  // Not strict, because the options are the fields of the site, which are not yet known.
  const described = await describe(readSite(parse(words, {}, false).values))
  const { fields } = described
  const ofFields = Object.fromEntries(fields.map(({ option }) => [option, text]))
  const { values, argument: file = draftFile } = parse(words, ofFields)
  const request = { idempotency_key: values['idempotency-key'] ?? randomUUID() }
  for (const { name, option } of fields) {
    const value = await readValue(values[option])
    if (value?.trim()) request[name] = value
  }
  refuseProblems(fields, request)
  const written = `${JSON.stringify(request, undefined, 2)}\n`
  try {
    writeFileSync(file, written, { mode: 0o600, flag: values.force ? 'w' : 'wx' })
  } catch ({ code }) {
    const why = code === 'EEXIST' ? `There is a draft at ${file} already.` : `${file}: ${code}.`
    throw refused(`${why} Nothing was written.`, 'Name another file, or add --force.')
  }
  keepRules(file, described)
  const sentence = `The draft is in ${file}. Nothing was sent. Next: consult check`
  return { sentence, json: { file, request } }
}

function readValue(value) {
  return value === '-' ? readAll(process.stdin) : value
}

async function check(words) {
  const { values, argument = draftFile } = parse(words)
  const request = await readDraft(argument)
  const site = readSite(values)
  const { fields } = keptRules(argument, site) ?? (await describe(site))
  refuseProblems(fields, request)
  const sentence = 'The request is valid. Nothing was sent. Next: consult send'
  return { sentence, json: { ok: true, request } }
}

async function send(words) {
  const { values, argument = draftFile } = parse(words)
  const site = readSite(values)
  const kept = await readDraft(argument)
  const key = values['idempotency-key'] ?? kept.idempotency_key ?? randomUUID()
  const request = { ...kept, idempotency_key: key }
  if (!values.yes) throw needConsent({ would_send: request, to: site + leadPath })
  const sending = ask(site, { method: 'POST', path: leadPath, body: request, wanted: isLead })
  const { json, headers } = await sending.catch((error) => {
    if (error.exitCode === exits.NO_ANSWER) {
      error.error.resolution += ` Send it again with --idempotency-key ${key}: it stays one request.`
    }
    throw error
  })
  const replayed = headers.get('idempotent-replayed') === 'true'
  return { sentence: json.message, json: { ...json, replayed, idempotency_key: key } }
}

async function status(words) {
  return followUp(parse(words), { method: 'GET', action: '' })
}

async function askForAnotherTime(args) {
  const parsed = parse(args, { words: text })
  const words = await readValue(parsed.values.words)
  if (!words?.trim()) throw invalid('Say which days and hours suit the person: --words "Friday".')
  const { json } = await act(parsed, {
    action: 'another-time',
    would: 'ask for another time for',
    effect: 'The booked time stays until the owner answers.',
    body: { words },
  })
  return { sentence: json.message, json }
}

async function withdraw(words) {
  const effect = 'Nobody will contact the person about it. The details are kept.'
  return act(parse(words), { action: 'withdraw', would: 'withdraw', effect })
}

async function erase(words) {
  const effect =
    'This erases everything the person sent, at once and for good. An open request is withdrawn too.'
  return act(parse(words), { action: 'erase', would: 'erase', effect })
}

/** Without --yes, throws what the action would do. */
async function act(parsed, { action, would, effect, body }) {
  if (parsed.values.yes) return followUp(parsed, { method: 'POST', action: `/${action}`, body })
  const { site, path } = readReceipt(parsed)
  const { json } = await ask(site, { method: 'GET', path, wanted: isReceipt })
  const name = action.replace('-', '_')
  if (!json[`${name}_url`])
    throw refused(`This cannot be done: ${json.message}`, 'See: consult status')
  const words = `This would ${would} request ${json.reference} (${json.status}). ${effect}`
  const resolution = 'Ask the person, and add --yes when they agree.'
  const details = { [`would_${name}`]: site + path, ...body }
  throw refused(`${words} Nothing was changed.`, resolution, { details })
}

async function followUp(parsed, { method, action, body }) {
  const { site, path } = readReceipt(parsed)
  const { json } = await ask(site, { method, path: path + action, body, wanted: isReceipt })
  return { sentence: json.message, json }
}

function readReceipt({ values, argument = '' }) {
  const [, origin, token] = /^(?:(https?:\/\/[^/]+)\/receipt\/)?([\w-]+)\/?$/.exec(argument) ?? []
  if (token === undefined) throw invalid('Name the request by its status_url, or by its token.')
  return { site: readSite(values, origin), path: `/receipt/${token}` }
}

function needConsent(details) {
  const resolution = 'Show the details to the person, and add --yes when they agree.'
  return refused('Nothing was sent.', resolution, { details })
}

async function readDraft(file) {
  let written
  try {
    written = file === '-' ? await readAll(process.stdin) : readFileSync(file, 'utf8')
  } catch ({ code }) {
    throw invalid(`The draft ${file} cannot be read (${code}).`, 'Make one: consult draft')
  }
  const request = readObject(written)
  // Without the message of the JSON parser, because it may repeat personal details.
  if (request === undefined) throw invalid(`The draft ${file} is not one JSON object.`)
  return request
}

/** Parts without an option, such as the honeypot, are left out. */
async function describe(site) {
  const asked = { method: 'GET', path: '/openapi.json', wanted: isDescription }
  const { json, headers } = await ask(site, asked)
  const { properties, required = [] } = json.components.schemas.LeadRequest
  const fields = Object.entries(properties)
    .filter(([, rules]) => isText(rules?.['x-option']))
    .map(([name, { 'x-option': option, ...rules }]) => {
      return { option, name, required: required.includes(name), ...rules }
    })
  const { title, description: rules } = json.info ?? {}
  const [, seconds = '0'] = /max-age=(\d+)/.exec(headers.get('cache-control')) ?? []
  const until = new Date(Date.now() + Number(seconds) * 1_000)
  return { base_url: site, title, rules, fields, fresh_until: until.toISOString() }
}

/** The draft itself is the body of the request, so the rules have a file of their own. */
function rulesFile(file) {
  return `${file}.rules`
}

/** Without this copy, `check` asks the site again. */
function keepRules(file, described) {
  try {
    writeFileSync(rulesFile(file), JSON.stringify(described), { mode: 0o600 })
  } catch ({ code }) {
    say(`${rulesFile(file)}: ${code}.`)
  }
}

/** `undefined`: the site has to be asked. */
function keptRules(file, site) {
  try {
    const kept = readObject(readFileSync(rulesFile(file), 'utf8'))
    return kept?.base_url === site && new Date(kept.fresh_until) > new Date() ? kept : undefined
  } catch {
    return undefined
  }
}

function refuseProblems(fields, request) {
  const problems = fields.flatMap((field) => {
    const problem = findProblem(field, request[field.name])
    return problem ? [{ field: field.name, problem, example: field.examples?.[0] ?? '' }] : []
  })
  if (problems.length === 0) return
  const names = problems.map(({ field, problem }) => `${field} ${problem}`).join('; ')
  const more = { code: 'VALIDATION_ERROR', details: { fields: problems } }
  throw invalid(`The site would refuse this request: ${names}.`, 'Correct these fields.', more)
}

function findProblem({ required, maxLength, pattern, description }, value) {
  if (value === undefined || value === null) return required && 'is missing'
  if (typeof value !== 'string') return 'must be one text'
  const trimmed = value.trim()
  if (trimmed === '') return required && 'is empty'
  if ([...trimmed].length > maxLength) return `is too long: at most ${maxLength} characters`
  return pattern && !new RegExp(pattern).test(trimmed) && `is not valid: ${description}`
}

/** Retries are safe, because a repeated request has no further effect. */
async function ask(site, { method, path, body, wanted }) {
  for (let tried = 1; ; tried += 1) {
    const answer = await askOnce(site + path, method, body)
    const wantedMs = Number(answer.headers?.get('retry-after') ?? Number.NaN) * 1_000
    const waitMs = wantedMs >= 0 ? wantedMs : patience.firstWaitMs * 2 ** (tried - 1)
    const isLast = tried > patience.retries || waitMs > patience.longestWaitMs
    if (!answer.mayPass || isLast) return { ...answer, json: readAnswer(site, answer, wanted) }
    say(`${answer.problem} Trying again in ${waitMs / 1_000} s (${tried} of ${patience.retries}).`)
    await sleep(waitMs)
  }
}

async function askOnce(url, method, body) {
  const headers = { accept: 'application/json', 'user-agent': `consult/${version}` }
  if (body) headers['content-type'] = 'application/json'
  // Following a redirect would send personal details to another address.
  const careful = { redirect: 'manual', signal: AbortSignal.timeout(patience.timeoutMs) }
  try {
    const response = await fetch(url, { method, headers, body: JSON.stringify(body), ...careful })
    const { status: code, headers: sent } = response
    const mayPass = code === 408 || code === 429 || code >= 500
    const written = await response.text()
    return { code, headers: sent, written, mayPass, problem: `The site answers ${code}.` }
  } catch ({ name, cause }) {
    const why = name === 'TimeoutError' ? 'no answer in time' : (cause?.code ?? name)
    const mayPass = !/ENOTFOUND|CERT|SSL|TLS|SIGNED/.test(why)
    return { code: 0, written: '', mayPass, problem: `The site cannot be reached (${why}).` }
  }
}

const isText = (value) => typeof value === 'string'
const isLead = ({ ok, message }) => ok === true && isText(message)
const isReceipt = ({ status: now, message }) => isText(now) && isText(message)
const isDescription = ({ components }) => Boolean(components?.schemas?.LeadRequest?.properties)

/** `wanted` tells an answer of this service from that of another site. */
function readAnswer(site, { code, written, mayPass, problem }, wanted) {
  const json = readObject(written)
  if (code === 200 && json !== undefined && wanted(json)) return json
  const kind = kindOfFailure(code, mayPass)
  const { message, resolution, ...more } = json?.error ?? {}
  if (isText(message)) throw new Failed(kind, message, resolution, more)
  if (kind === 'NO_ANSWER') throw new Failed(kind, problem, `Check ${site}, or try again later.`)
  const strange = `The answer of ${site} is not one of this service (status ${code}).`
  throw new Failed('UNEXPECTED', strange, 'Check the address. Redirects are not followed.')
}

function kindOfFailure(code, mayPass) {
  if (mayPass || code === 0) return 'NO_ANSWER'
  return code === 400 || code === 413 ? 'INVALID_INPUT' : 'REFUSED'
}

function readObject(written) {
  try {
    const value = JSON.parse(written)
    return typeof value === 'object' && !Array.isArray(value) ? (value ?? undefined) : undefined
  } catch {
    return undefined
  }
}

/** Escapes characters by which the text of a site could control the terminal. */
function plain(words) {
  const code = (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  return words.replaceAll(/(?!\n)[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu, code)
}

function say(sentence) {
  process.stderr.write(`${plain(sentence)}\n`)
}

async function main(words) {
  if (words.length === 0 || words.includes('--help')) return process.stdout.write(help)
  if (words[0] === '--version') return process.stdout.write(`${version}\n`)
  const { sentence = '', json } = await run(words).catch((failed) => {
    if (!(failed instanceof Failed)) throw failed
    const { exitCode, error } = failed
    process.exitCode = exitCode
    return { sentence: `consult: ${error.message} ${error.resolution}`, json: { error } }
  })
  if (sentence) say(sentence)
  process.stdout.write(`${plain(JSON.stringify(json, undefined, 2))}\n`)
}

// `realpathSync`, because npm starts this file by a symbolic link.
const [, script] = process.argv
if (script && pathToFileURL(realpathSync(script)).href === import.meta.url) {
  await main(process.argv.slice(2))
}
