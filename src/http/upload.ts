/**
 * Bodies of routes that take a file. The server does not read them: their door does, if it wants to, into a
 * file and never into memory.
 */
import type { FileHandle } from 'node:fs/promises'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { Transform, Writable, type Readable, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isUncompressed, mediaType } from './body.ts'
import { boundaryOf, FormFile } from './form-file.ts'

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
  const type = headers['content-type']
  const isForm = mediaType(type) === 'multipart/form-data'
  const boundary = boundaryOf(type)
  if (isForm && boundary === undefined) return 'nothing'
  const form = isForm ? new FormFile(boundary!) : undefined
  const sink = new FileSink(file, maxBytes)
  try {
    if (form === undefined) await pipeline(stream, new Untorn(), sink)
    else await pipeline(stream, new Untorn(), form, sink)
  } catch {
    return stream.readableEnded ? 'nothing' : 'cut-off'
  }
  return form?.problem ?? sink.received()
}

/** A multipart form may have so much around its file. */
const framingBytes = 64 * 1024

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

  constructor(file: FileHandle, maxBytes: number) {
    super()
    this.#file = file
    this.#maxBytes = maxBytes
  }

  received(): Received {
    if (this.#fault !== undefined) throw this.#fault
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
