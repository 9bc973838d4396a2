/** `consult endpoints`: every operation of the API, from its own description. */
import { documents } from '../contract/documents.ts'
import { expectJson, isText } from './answers.ts'
import type { JsonObject } from './answers.ts'
import type { Call } from './arguments.ts'
import { ask } from './ask-patiently.ts'
import { toPairs } from './output.ts'
import type { Result } from './output.ts'
import { readSite } from './site.ts'

type Operation = { method: string; path: string; id: string; summary: string }

const methods = ['get', 'put', 'post', 'delete', 'patch']

export async function endpointsCommand(call: Call): Promise<Result> {
  const site = readSite(call)
  const answer = await ask(site, {
    method: 'GET',
    path: documents.openapi.path,
    accept: 'application/json',
  })
  const { paths } = expectJson(site, answer, isDescription)
  const endpoints = Object.entries(paths).flatMap(([path, item]) => operationsOf(path, item))
  return {
    text: toPairs(endpoints.map(({ method, path, summary }) => [`${method} ${path}`, summary])),
    json: { base_url: site.baseUrl, endpoints },
  }
}

function isDescription(found: JsonObject): found is { openapi: string; paths: JsonObject } {
  return isText(found['openapi']) && isObject(found['paths'])
}

function operationsOf(path: string, item: unknown): Operation[] {
  if (!isObject(item)) return []
  return methods.flatMap((method) => {
    const operation = item[method]
    if (!isObject(operation)) return []
    const { operationId: id = '', summary = '' } = operation
    return [{ method: method.toUpperCase(), path, id: String(id), summary: String(summary) }]
  })
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null
}
