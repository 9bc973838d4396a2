/** Clients that are generated from the published description do everything that it describes. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { checkFields } from '../../src/contract/check-fields.ts'
import { errors } from '../../src/contract/errors.ts'
import { receivedMessage } from '../../src/contract/receipt.ts'
import { startServiceProcess, temporaryFolder } from '../support/service.ts'

const [problem] = checkFields({ name_1: 'Robin Example', email_1: 'robin' }).problems

const run = promisify(execFile)
const generators = resolve('test/generators/node_modules/.bin')

/** What a developer would write, with the types that were generated. */
const programs = {
  'openapi-typescript and openapi-fetch': {
    generate: [
      'openapi-typescript',
      'openapi.json',
      '--output',
      'generated.d.ts',
      '--default-non-nullable',
      'false',
    ],
    program: `
import createClient from 'openapi-fetch'
import type { paths } from './generated.js'

const client = createClient<paths>({ baseUrl: process.argv[2]! })
const header = { 'Idempotency-Key': crypto.randomUUID() }
const body = { name_1: 'Robin Example', email_1: 'robin@example.com', colour: 'grey' }

const health = await client.GET('/api/lead')
const sent = await client.POST('/api/lead', { params: { header }, body })
const again = await client.POST('/api/lead', { params: { header }, body })
const wrong = await client.POST('/api/lead', { body: { ...body, email_1: 'robin' } })
const path = { token: sent.data!.receipt_token! }
const receipt = await client.GET('/receipt/{token}', { params: { path } })
const withdrawn = await client.POST('/receipt/{token}/withdraw', { params: { path } })
const missing = await client.GET('/receipt/{token}', { params: { path: { token: 'none' } } })
`,
  },
  '@hey-api/openapi-ts': {
    generate: [
      'openapi-ts',
      '--input',
      'openapi.json',
      '--output',
      'generated',
      '--silent',
      '--no-log-file',
    ],
    program: `
import { getLeadHealth, getReceipt, submitConsultationLead, withdrawLead } from './generated/index.js'
import { client } from './generated/client.gen.js'

client.setConfig({ baseUrl: process.argv[2]! })
const headers = { 'Idempotency-Key': crypto.randomUUID() }
const body = { name_1: 'Robin Example', email_1: 'robin@example.com', colour: 'grey' }

const health = await getLeadHealth()
const sent = await submitConsultationLead({ headers, body })
const again = await submitConsultationLead({ headers, body })
const wrong = await submitConsultationLead({ body: { ...body, email_1: 'robin' } })
const path = { token: sent.data!.receipt_token! }
const receipt = await getReceipt({ path })
const withdrawn = await withdrawLead({ path })
const missing = await getReceipt({ path: { token: 'none' } })
`,
  },
}

/** The same for both. It compiles only where every member is in the types. */
const tellAll = `
const problem = wrong.error!.error.details!.fields![0]!
console.log(JSON.stringify({
  health: health.data!.status,
  sent: [sent.data!.ok, sent.data!.message, sent.data!.unlisted],
  isSame: again.data!.reference === sent.data!.reference,
  wrong: [wrong.error!.error.code, problem.field, problem.problem, problem.example],
  receipt: [receipt.data!.reference === sent.data!.reference, receipt.data!.status],
  withdrawn: [withdrawn.data!.status, withdrawn.data!.can_withdraw],
  missing: [missing.response!.status, missing.error!.error.resolution],
}))
`

for (const [name, { generate, program }] of Object.entries(programs)) {
  test(`a client made by ${name} does every operation`, async (t) => {
    const folder = temporaryFolder(t)
    const service = await startServiceProcess({ dataDir: folder })
    t.after(() => service.stop())
    const published = await fetch(`${service.url}/openapi.json`)
    writeFileSync(join(folder, 'openapi.json'), await published.text())
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    writeFileSync(join(folder, 'drive.ts'), program + tellAll)
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    const [command, ...words] = generate
    await run(process.execPath, [join(generators, command!), ...words], { cwd: folder })
    await run(resolve('node_modules/.bin/tsc'), ['--project', '.'], { cwd: folder })
    const { stdout } = await run(process.execPath, ['drive.js', service.url], { cwd: folder })
    assert.deepEqual(JSON.parse(stdout), {
      health: 'ok',
      sent: [true, receivedMessage, ['colour']],
      isSame: true,
      wrong: ['VALIDATION_ERROR', problem!.field, problem!.problem, problem!.example],
      receipt: [true, 'received'],
      withdrawn: ['withdrawn', false],
      missing: [404, errors.NOT_FOUND.resolution],
    })
  })
}

const compilerOptions = {
  target: 'es2024',
  module: 'nodenext',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
}
