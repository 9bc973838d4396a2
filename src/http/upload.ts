/**
 * Bodies of routes that take a file. The server does not read them: their door does, if it wants to, into a
 * file and never into memory.
 */
import type { FileHandle } from 'node:fs/promises'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { Transform, Writable, type Readable, type TransformCallback } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { isUncompressed, mediaType } from './body.ts'

export type UploadLimits = {
  /** The size of the file. */
  maxBytes: number
  leastBytesPerS: number
  /** A phone may lose its line for so long. */
  graceMs: number
  longestMs: number
}

const lookMs = 1_000

/** Ends a body that is too slow, or far too large, also while nobody reads it. */
export function watchUpload(
  response: ServerResponse,
  limits: UploadLimits,
  tooSlow: () => void,
): void {
  const { req: request } = response
  const { socket } = request
  const startedAt = performance.now()
  const bytesBefore = socket.bytesRead
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - startedAt
    const bytes = socket.bytesRead - bytesBefore
    const least = ((elapsedMs - limits.graceMs) / 1_000) * limits.leastBytesPerS
    if (bytes > 2 * limits.maxBytes) request.destroy()
    if (bytes >= least && elapsedMs < limits.longestMs) return
    end()
    if (response.headersSent) request.destroy()
    else tooSlow()
  }, lookMs)
  const end = () => clearInterval(timer)
  request.once('end', end)
  request.once('close', end)
}

/** `nothing`: the body is empty, is no form, or has no file. `cut-off`: it came without its end. */
export type Received = 'received' | 'nothing' | 'several' | 'too-large' | 'cut-off'

export type Upload = { headers: IncomingHttpHeaders; stream: Readable }

/** Takes the body itself, or the one file of a multipart form. Throws what writing the file throws. */
export async function receiveFile(
  { headers, stream }: Upload,
  file: FileHandle,
  maxBytes: number,
): Promise<Received> {
  // A body that says it is too large is not read: the server drops it.
  if (Number(headers['content-length']) > maxBytes + framingBytes) return 'too-large'
  if (!isUncompressed(headers)) return 'nothing'
  const sink = new FileSink(file, maxBytes)
  const isForm = mediaType(headers['content-type']) === 'multipart/form-data'
  const parts = isForm ? await readParts(headers, sink) : sink
  if (parts === undefined) return 'nothing'
  try {
    await pipeline(stream, new Untorn(), parts, { signal: endAfter(stream, sink) })
  } catch {
    return stream.readableEnded ? 'nothing' : 'cut-off'
  }
  return sink.end().received()
}

/** Ends the pipeline when nothing more can come: busboy never ends some forms that are broken. */
function endAfter(stream: Readable, sink: FileSink): AbortSignal {
  const ending = new AbortController()
  const look = () => (sink.writableLength === 0 ? ending.abort() : wait())
  const wait = () => void setTimeout(look, lookMs).unref()
  stream.once('end', wait)
  return ending.signal
}

/** A multipart form may have so much around its file. */
const framingBytes = 64 * 1024

const partLimits = { files: 1, fields: 10, parts: 12, fieldSize: 1_024, headerPairs: 20 }

/** `undefined`: the form has no boundary. */
async function readParts(
  headers: IncomingHttpHeaders,
  sink: FileSink,
): Promise<Writable | undefined> {
  // Loaded for the first photo and not at each start.
  const { default: busboy } = await import('busboy')
  try {
    const parts = busboy({ headers, limits: partLimits })
    parts.on('filesLimit', () => sink.refuseSeveral())
    return parts.on('file', (_, part) => {
      // When the form breaks off, its part fails, too. Without a listener the process would end.
      part.on('error', () => {})
      part.pipe(sink)
    })
  } catch {
    return undefined
  }
}

const joinedBytes = 64 * 1024

/**
 * Joins small pieces, which would cost a write each. A large body in chunks of one byte each would still take too
 * much time.
 */
class Untorn extends Transform {
  #all = { pieces: 0, bytes: 0 }
  #joined: Buffer[] = []
  #bytes = 0

  override _transform(piece: Buffer, _: string, done: TransformCallback): void {
    this.#all.pieces += 1
    this.#all.bytes += piece.length
    const isTorn = this.#all.pieces > 1_000 + this.#all.bytes / 64
    if (isTorn) return done(new Error('The body comes in too many pieces.'))
    this.#joined.push(piece)
    this.#bytes += piece.length
    if (this.#bytes >= joinedBytes) this.#pass()
    done()
  }

  override _flush(done: TransformCallback): void {
    this.#pass()
    done()
  }

  #pass(): void {
    this.push(Buffer.concat(this.#joined))
    this.#joined = []
    this.#bytes = 0
  }
}

/** Takes everything, so that its source always comes to its end, but writes only what may be kept. */
class FileSink extends Writable {
  readonly #file: FileHandle
  readonly #maxBytes: number
  #bytes = 0
  #fault: unknown
  #isSeveral = false

  constructor(file: FileHandle, maxBytes: number) {
    super()
    this.#file = file
    this.#maxBytes = maxBytes
  }

  refuseSeveral(): void {
    this.#isSeveral = true
  }

  async received(): Promise<Received> {
    await finished(this)
    if (this.#fault !== undefined) throw this.#fault
    if (this.#isSeveral) return 'several'
    if (this.#bytes > this.#maxBytes) return 'too-large'
    return this.#bytes === 0 ? 'nothing' : 'received'
  }

  async #append(chunk: Buffer, done: () => void): Promise<void> {
    try {
      await this.#file.appendFile(chunk)
    } catch (error) {
      this.#fault = error
    }
    done()
  }

  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.#bytes += chunk.length
    if (this.#bytes > this.#maxBytes || this.#fault !== undefined) return done()
    void this.#append(chunk, done)
  }
}
