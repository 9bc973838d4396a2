/** The stage `look`: `consult info`, `consult endpoints` and `consult health`. */
import { documents } from '../contract/documents.js'
import { routes } from '../contract/routes.js'
import { expectJson, isText, toFailure } from './answers.js'
import { ask } from './ask.js'
import { toPairs, toPlainLines } from './output.js'
import { readSite } from './site.js'
/** Prints the site guide for agents, which begins with the business (llmstxt.org). */
export async function infoCommand(call) {
  const site = readSite(call)
  const answer = await ask(site, {
    method: 'GET',
    path: documents.llms.path,
    accept: 'text/plain, text/markdown;q=0.9, application/json;q=0.1',
  })
  const guide = readGuide(answer.text)
  if (answer.status !== 200 || guide === undefined) throw toFailure(site, answer)
  return {
    text: `${toPlainLines(answer.text.trimEnd())}\n`,
    json: { base_url: site.baseUrl, ...guide },
  }
}
/** Lists every operation of the API, from its OpenAPI description. */
export async function endpointsCommand(call) {
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
/** Never retries: it reports the state at this moment. */
export async function healthCommand(call) {
  const site = { ...readSite(call), retries: 0 }
  const answer = await ask(site, {
    method: 'GET',
    path: routes.lead.path,
    accept: 'application/json',
  })
  const { status } = expectJson(site, answer, isHealthy)
  return {
    text: `${site.baseUrl} can receive a request now.\n`,
    json: { base_url: site.baseUrl, status },
  }
}
/** One heading, a quoted summary, text, then sections of links. `undefined`: not such a guide. */
export function readGuide(text) {
  const [head = '', ...sections] = text.replaceAll('\r\n', '\n').split(/^## /m)
  const name = /^# (.+)$/m.exec(head)?.[1]
  if (name === undefined) return undefined
  const rest = head.replace(/^# .+$/m, '')
  const quoted = [...rest.matchAll(/^> ?(.*)$/gm)].map(([, line]) => line)
  return {
    name: name.trim(),
    summary: quoted.join(' ').trim(),
    about: rest.replaceAll(/^>.*$/gm, '').trim(),
    sections: sections.map((section) => ({
      title: section.split('\n', 1)[0].trim(),
      links: [...section.matchAll(/^[-*] \[([^\]]*)\]\(([^)\s]*)\)(?:: *(.*))?$/gm)].map(
        ([, title = '', url = '', description = '']) => ({ title, url, description }),
      ),
    })),
  }
}
const methods = ['get', 'put', 'post', 'delete', 'patch']
function isDescription(found) {
  return isText(found['openapi']) && isObject(found['paths'])
}
function operationsOf(path, item) {
  if (!isObject(item)) return []
  return methods.flatMap((method) => {
    const operation = item[method]
    if (!isObject(operation)) return []
    const { operationId: id = '', summary = '' } = operation
    return [{ method: method.toUpperCase(), path, id: String(id), summary: String(summary) }]
  })
}
function isObject(value) {
  return typeof value === 'object' && value !== null
}
function isHealthy(found) {
  return found['status'] === 'ok'
}
