import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import test from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { openTestApp } from '../support/app.ts'
import { freePort, startServiceProcess, temporaryFolder } from '../support/service.ts'

test('the published workflows run as they stand against the live service', async (t) => {
  const folder = temporaryFolder(t)
  const port = await freePort()
  const service = await startServiceProcess({
    dataDir: folder,
    env: { PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` },
  })
  t.after(() => service.stop())
  const published = await fetch(`${service.url}/arazzo.yaml`)
  writeFileSync(join(folder, 'arazzo.yaml'), await published.text())
  const result = join(folder, 'result.json')
  const { stdout } = await promisify(execFile)(
    resolve('node_modules/.bin/redocly'),
    ['respect', 'arazzo.yaml', `--json-output=${result}`],
    {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      },
    },
  )
  assert.match(stdout, /Workflows: 3 passed, 3 total/)
  assert.doesNotMatch(stdout, /[1-9]\d* (?:failed|warnings)/)
})

type Step = {
  stepId: string
  operationId: string
  parameters?: { name: string; in: string; value: string }[]
  outputs?: Record<string, string>
}

/** By the rules of Arazzo 1.0 alone: a runner that knows no extensions of others can run them. */
test('each step names an operation of the API, and refers only to what is there', async (t) => {
  const app = openTestApp(t)
  const { workflows } = parse((await app.ask('GET', '/arazzo.yaml')).text)
  const { paths, components } = (await app.ask('GET', '/openapi.json')).json as Described
  const operations = Object.values(paths).flatMap((byMethod) => Object.values(byMethod))
  for (const { inputs, steps } of workflows as { inputs?: Inputs; steps: Step[] }[]) {
    const known = new Set(Object.keys(inputs?.properties ?? {}).map((name) => `$inputs.${name}`))
    for (const step of steps) {
      const { stepId, operationId, parameters = [], outputs = {} } = step
      const operation = operations.find((each) => each.operationId === operationId)
      assert.ok(operation, `${stepId}: ${operationId}`)
      assert.deepEqual(
        Object.keys(step).filter((member) => !standard.includes(member)),
        [],
      )
      const taken = (operation.parameters ?? []).map(({ $ref }) => {
        const { name, in: place } = components.parameters[$ref.split('/').at(-1)!]!
        return `${place} ${name}`
      })
      for (const { name, in: place } of parameters) assert.ok(taken.includes(`${place} ${name}`))
      const referred = JSON.stringify(step).match(/\$(?:inputs|steps)\.[\w.]+/g) ?? []
      assert.deepEqual(
        referred.filter((reference) => !known.has(reference)),
        [],
        stepId,
      )
      for (const name of Object.keys(outputs)) known.add(`$steps.${stepId}.outputs.${name}`)
    }
  }
})

type Inputs = { properties: object }
type Described = {
  paths: Record<string, Record<string, { operationId: string; parameters?: { $ref: string }[] }>>
  components: { parameters: Record<string, { name: string; in: string }> }
}

/** Of a step object, besides the other ways to name what it runs. */
const standard = [
  'stepId',
  'description',
  'operationId',
  'parameters',
  'requestBody',
  'successCriteria',
  'onSuccess',
  'onFailure',
  'outputs',
]
