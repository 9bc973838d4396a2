/** The draft file: the JSON body of a request, readable by its owner only (0600). */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { commandName } from '../contract/commands.js'
import { readObject } from './answers.js'
import { Failed } from './failed.js'
import { toJson } from './output.js'
/** `-` is standard input. */
export async function readDraftFile(path) {
  const draft = readObject(
    toText(path === '-' ? await buffer(process.stdin) : await readBytes(path)),
  )
  if (draft !== undefined) return draft
  // Without the parser's own message, which would repeat what the draft says.
  throw new Failed('invalid', {
    message: `The draft ${path} is not one JSON object in UTF-8.`,
    resolution: `Write it again with "${commandName} draft --force".`,
  })
}
/** Called before the first question. */
export function refuseToOverwrite(path) {
  if (!existsSync(path)) return
  throw new Failed('refused', {
    message: `There is a draft at ${path} already.`,
    resolution: 'Add --force to write over it, or name another file.',
  })
}
/** Atomic: written beside it, then renamed. */
export function writeDraftFile(path, draft) {
  const unfinished = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(unfinished, toJson(draft), { mode: 0o600, flag: 'wx' })
    renameSync(unfinished, path)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw notUsable(path, 'written', error)
  }
}
async function readBytes(path) {
  try {
    return await readFile(path)
  } catch (error) {
    throw notUsable(path, 'read', error)
  }
}
function notUsable(path, verb, error) {
  const { code } = error
  if (code === 'ENOENT' && verb === 'read') {
    return new Failed('invalid', {
      message: `There is no draft at ${path}.`,
      resolution: `Make one with "${commandName} draft", or give the fields as options.`,
    })
  }
  return new Failed('invalid', {
    message: `The draft ${path} cannot be ${verb} (${code}).`,
    resolution: 'Name another file.',
  })
}
function toText(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return ''
  }
}
