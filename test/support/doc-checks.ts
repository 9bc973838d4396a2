/** What can be said of a block that is not run, by its kind. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseDocument } from 'yaml'
import { readSettings, settingTable } from '../../src/config.ts'
import { readBusiness } from '../../src/site/business.ts'
import { ContentFault, type Fault } from '../../src/site/yaml.ts'
import { readHead } from '../../src/site/pages.ts'
import { ownStyleName, readOwnStyle } from '../../src/site/site.ts'
import type { Cleaner } from './cleaner.ts'
import type { Block } from './doc-blocks.ts'
import { temporaryFolder } from './service.ts'

/** Empty, or a problem each. */
type Check = (block: Block, t: Cleaner) => string[]

/** Every kind that a document may have. Those of `runBy` are run as they stand, by the test that is named. */
export const runBy: Readonly<Record<string, string>> = {
  'sh run': 'test/trials/docs.test.ts',
  js: 'test/app/delivery-recipes.test.ts',
  sql: 'test/process/postgres.test.ts',
}

export const checks: Readonly<Record<string, Check>> = {
  sh: checkShell,
  dotenv: ({ text }) => checkSettings(text),
  ini: checkUnit,
  nginx: checkNginx,
  yaml: checkYaml,
  css: checkStyle,
  json: ({ text }) => problemsOf(() => JSON.parse(text)),
  // A drawing.
  text: () => [],
}

/** It is not at hand, asks a registry or another host, or changes the machine. */
const notHere = /\b(?:sudo|npm|git|docker|age|age-keygen|restic|rclone|scp)\b|--package=|postgres:/

function checkShell({ text }: Block): string[] {
  const { status, stderr } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' })
  return [
    ...(status === 0 ? [] : [stderr]),
    ...(notHere.test(text) ? [] : ['it can be run: tag it "sh run"']),
  ]
}

/** An ellipsis stands for a secret. */
function checkSettings(text: string): string[] {
  const lines = text.split('\n').filter((line) => !/^(?:#|$)/.test(line))
  const pairs = lines.map((line) => line.split(/=(.*)/, 2) as [name: string, value: string])
  const read = readSettings(Object.fromEntries(pairs.filter(([, value]) => !value.includes('…'))))
  return [
    ...pairs.filter(([name]) => !(name in settingTable)).map(([name]) => `no setting ${name}`),
    ...('problems' in read ? read.problems : []),
  ]
}

/** Lines of a service. */
function checkUnit({ text }: Block, t: Cleaner): string[] {
  const settings = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, all]) => all!.split(' '))
  const unit = join(temporaryFolder(t), 'lead-intake.service')
  writeFileSync(unit, `[Service]\nExecStart=/bin/true\n${text}`)
  return [...checkSettings(settings.join('\n')), ...saidBy('systemd-analyze', ['verify', unit])]
}

/** Only what every operator edits is replaced: the certificate. */
function checkNginx({ text }: Block, t: Cleaner): string[] {
  const folder = temporaryFolder(t)
  const file = join(folder, 'nginx.conf')
  const config = text
    .replaceAll(/ssl_certificate +\S+;/g, `ssl_certificate ${resolve('test/data/tls/server.crt')};`)
    .replaceAll(
      /ssl_certificate_key +\S+;/g,
      `ssl_certificate_key ${resolve('test/data/tls/server.key')};`,
    )
  writeFileSync(file, `pid ${folder}/pid; error_log stderr;\nevents {}\nhttp {\n${config}}\n`)
  const said = saidBy('nginx', ['-t', '-q', '-p', folder, '-c', file])
  // Only root may.
  return said.filter((line) => !/Permission denied|"user" directive/.test(line))
}

function checkYaml({ text }: Block, t: Cleaner): string[] {
  if (text.startsWith('---')) return problemsOf(() => checkHead(text))
  const document = parseDocument(text)
  const keys = Object.keys(document.toJS() as object)
  if (document.errors.length > 0) return document.errors.map(({ message }) => message)
  const folder = temporaryFolder(t)
  if (keys.join() === 'webhooks') {
    const file = join(folder, 'business.yaml')
    writeFileSync(file, `${readFileSync('content/business.yaml', 'utf8')}\n${text}`)
    return problemsOf(() => readBusiness(file))
  }
  if (keys.join() === 'scrape_configs') {
    writeFileSync(join(folder, 'prometheus.yml'), text)
    return saidBy('promtool', ['check', 'config', join(folder, 'prometheus.yml')])
  }
  return [`nothing reads ${keys.join()}`]
}

function checkHead(text: string): void {
  const faults: Fault[] = []
  readHead('page.md', text, faults)
  if (faults.length > 0) throw new ContentFault(...faults)
}

function checkStyle({ text }: Block, t: Cleaner): string[] {
  const folder = temporaryFolder(t)
  cpSync('content', folder, { recursive: true })
  writeFileSync(join(folder, ownStyleName), text)
  const known = readFileSync('public/site.css', 'utf8')
  const names = [...text.matchAll(/(--[\w-]+):/g)].map(([, name]) => name!)
  return [
    ...problemsOf(() => readOwnStyle(folder)),
    ...names.filter((name) => !known.includes(`var(${name})`)).map((name) => `no ${name}`),
    ...(text.split('{').length === text.split('}').length ? [] : ['a brace is missing']),
  ]
}

function problemsOf(read: () => unknown): string[] {
  try {
    read()
    return []
  } catch (error) {
    if (!(error instanceof ContentFault) && !(error instanceof SyntaxError)) throw error
    return [error.message]
  }
}

/** Programs that would have read a block, and are not installed. */
export const notInstalled = new Set<string>()

/** Lines of a program that ended with a failure. */
function saidBy(program: string, words: readonly string[]): string[] {
  const { error, status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' })
  if (error !== undefined) notInstalled.add(program)
  return error !== undefined || status === 0 ? [] : `${stdout}${stderr}`.trim().split('\n')
}
