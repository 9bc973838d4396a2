/** What a process did to its files, and what it said on its sockets: read from the output of strace. */
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readSync, statSync } from 'node:fs'

export type TraceEvent =
  | { kind: 'made'; path: string }
  | { kind: 'moved' | 'linked'; from: string; path: string }
  | { kind: 'unlinked'; path: string }
  | { kind: 'wrote'; path: string; at: number; bytes: Buffer }
  | { kind: 'cut-to'; path: string; length: number }
  | { kind: 'synced'; path: string }
  | { kind: 'said'; words: string }

export const hasStrace = spawnSync('strace', ['-V']).status === 0

/** In front of the program; the tracer is its grandchild, so that signals reach the program itself. */
export function straceTo(output: string): string[] {
  const writing = 'pwrite64,write,writev,fsync,fdatasync,ftruncate,openat,?open'
  const naming = '?rename,renameat,?renameat2,?link,linkat,?unlink,unlinkat'
  const calls = `${writing},${naming}`
  const quietly = ['-D', '-f', '-qq', '--seccomp-bpf']
  return ['strace', ...quietly, '-y', '-xx', '-s', '1000000', '-o', output, '-e', `trace=${calls}`]
}

/** Whether the program that was traced has been killed, and all that it did is there. */
export function isWhole(file: string): boolean {
  const last = Buffer.alloc(60)
  const from = statSync(file).size - last.length
  const trace = openSync(file, 'r')
  readSync(trace, last, 0, last.length, Math.max(0, from))
  closeSync(trace)
  return last.includes('+++ killed by SIGKILL +++')
}

/** In the order in which the calls returned; what was said, in the order in which it was begun. */
export function* readTrace(
  file: string,
  folder: string,
  /** The lengths of the files that were there before. */
  files: Map<string, number>,
): Generator<TraceEvent> {
  const unfinished = new Map<string, string>()
  const open = new Map<string, { at: number; path: string }>()
  for (const line of linesOf(file)) {
    const thread = line.slice(0, line.indexOf(' '))
    const call = line.slice(thread.length).trimStart()
    const resumed = /^<\.\.\. \w+ resumed>/.exec(call)
    if (resumed === null) yield* said(call)
    if (call.endsWith('<unfinished ...>')) unfinished.set(thread, call.slice(0, -16).trimEnd())
    else if (resumed === null) yield* done(call)
    else yield* done((unfinished.get(thread) ?? '') + call.slice(resumed[0].length))
  }

  function* said(call: string): Generator<TraceEvent> {
    if (/^writev?\(\d+<\\x73\\x6f\\x63\\x6b\\x65\\x74/.test(call)) {
      const words = Buffer.concat(textsIn(call)).toString('latin1')
      if (words.startsWith('HTTP/1.1 ')) yield { kind: 'said', words }
    }
  }

  function* done(call: string): Generator<TraceEvent> {
    const parsed = /^(\w+)\((.*)\) += (-?\d+)(?:<([^>]*)>)?/s.exec(call)
    if (parsed === null || parsed[3]!.startsWith('-')) return
    const [, name, args, returned, returnedPath = ''] = parsed as unknown as [string, ...string[]]
    const fd = /^(\d+)</.exec(args!)?.[1] ?? ''
    const path = decode(/^\d+<([^>]*)>/.exec(args!)?.[1] ?? '')
    if (name === 'openat' || name === 'open') yield* opened(returned!, decode(returnedPath), args!)
    else if (name!.startsWith('rename')) {
      const [from, to] = textsIn(args!).map(String) as [string, string]
      if (!isOurs(to)) return
      files.set(to, files.get(from) ?? 0)
      files.delete(from)
      yield { kind: 'moved', from, path: to }
    } else if (name!.startsWith('link')) {
      const [from, to] = textsIn(args!).map(String) as [string, string]
      if (!isOurs(to)) return
      files.set(to, files.get(from) ?? 0)
      yield { kind: 'linked', from, path: to }
    } else if (name!.startsWith('unlink')) {
      const [gone] = textsIn(args!).map(String) as [string]
      if (files.delete(gone)) yield { kind: 'unlinked', path: gone }
    } else if (!isOurs(path)) return
    else if (name === 'fsync' || name === 'fdatasync') yield { kind: 'synced', path }
    else if (name === 'ftruncate') {
      yield { kind: 'cut-to', path, length: Number(/, (\d+)$/.exec(args!)![1]) }
    } else yield* wrote({ name: name!, fd, path, args: args!, length: Number(returned) })
  }

  function* opened(fd: string, path: string, args: string): Generator<TraceEvent> {
    open.set(fd, { at: 0, path })
    if (!isOurs(path)) return
    if (!files.has(path) && args.includes('O_CREAT')) yield { kind: 'made', path }
    if (args.includes('O_TRUNC')) yield { kind: 'cut-to', path, length: 0 }
    if (args.includes('O_APPEND')) open.get(fd)!.at = files.get(path) ?? 0
    files.set(path, args.includes('O_TRUNC') ? 0 : (files.get(path) ?? 0))
  }

  function* wrote(call: {
    name: string
    fd: string
    path: string
    args: string
    length: number
  }): Generator<TraceEvent> {
    const { name, path, args } = call
    const bytes = Buffer.concat(textsIn(args)).subarray(0, call.length)
    const position = open.get(call.fd)
    const at = name === 'pwrite64' ? Number(/, (\d+)$/.exec(args)![1]) : position!.at
    if (name !== 'pwrite64') position!.at += bytes.length
    files.set(path, Math.max(files.get(path) ?? 0, at + bytes.length))
    yield { kind: 'wrote', path, at, bytes }
  }

  function isOurs(path: string): boolean {
    return path === folder || path.startsWith(`${folder}/`)
  }
}

function textsIn(args: string): Buffer[] {
  return Array.from(args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g), ([, text]) => bytesOf(text!))
}

function decode(text: string): string {
  return bytesOf(text).toString()
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex')
}

/** A trace may be longer than a string can be. */
function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r')
  const chunk = Buffer.alloc(1 << 22)
  let rest = ''
  try {
    for (;;) {
      const length = readSync(file, chunk)
      if (length === 0) return
      const lines = (rest + chunk.toString('latin1', 0, length)).split('\n')
      rest = lines.pop()!
      yield* lines
    }
  } finally {
    closeSync(file)
  }
}
