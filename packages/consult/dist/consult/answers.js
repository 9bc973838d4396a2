import { isTemporary } from './ask.js'
import { Failed } from './failed.js'
/** Throws the failure if the answer is anything else. */
export function expectJson(site, answer, isWanted) {
  const found = readObject(answer.text)
  if (answer.status === 200 && found !== undefined && isWanted(found)) return found
  throw toFailure(site, answer)
}
export function toFailure(site, answer) {
  const error = readError(answer)
  if (error !== undefined) return new Failed(exitOf(answer.status), error)
  if (isTemporary(answer.status)) {
    return new Failed('network', {
      message: `${site.baseUrl} answers ${answer.status}.`,
      resolution: 'Try again later.',
    })
  }
  return new Failed('unexpected', {
    message: `${site.baseUrl} does not answer as this service does (status ${answer.status}).`,
    resolution: 'Check the address of the site.',
  })
}
export function readObject(text) {
  try {
    const value = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? value : undefined
  } catch {
    return undefined
  }
}
function exitOf(status) {
  if (isTemporary(status)) return 'network'
  return status === 400 || status === 413 ? 'invalid' : 'refused'
}
function readError({ status, text }) {
  const error = readObject(text)?.['error']
  const { code, message, resolution, details } = error ?? {}
  if (status < 400 || !isText(code) || !isText(message) || !isText(resolution)) return undefined
  const problems = details?.fields
  if (!Array.isArray(problems)) return { code, message, resolution }
  return { code, message, resolution, details: { fields: problems.filter(isProblem) } }
}
function isProblem(found) {
  const { field, problem, example } = found ?? {}
  return isText(field) && isText(problem) && isText(example)
}
export function isText(value) {
  return typeof value === 'string'
}
