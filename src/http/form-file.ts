/**
 * Finds the one file of a multipart form (RFC 7578) and passes its bytes on. Everything around it is dropped. It
 * always comes to its end, and holds no more than a chunk and a head, whatever is sent.
 */
import { Transform, type TransformCallback } from 'node:stream'

/** `nothing`: there is no such form, or it lacks its end. */
type BodyProblem = 'several' | 'nothing'

const mostParts = 20
/** Of the lines above the content of a part. */
const mostHeadBytes = 4_096
const headEnd = '\r\n\r\n'

export class FormFile extends Transform {
  readonly #delimiter: Buffer
  /** The first delimiter may come without the line break that belongs to it. */
  #rest: Buffer = Buffer.from('\r\n')
  #place: 'file' | 'elsewhere' | 'head' | 'behind' = 'elsewhere'
  #parts = 0
  #files = 0
  #problem: BodyProblem | undefined

  constructor(boundary: string) {
    super()
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  }

  /** Known at the end. */
  get problem(): BodyProblem | undefined {
    return this.#problem
  }

  override _transform(chunk: Buffer, _: string, done: TransformCallback): void {
    this.#rest = Buffer.concat([this.#rest, chunk])
    while (this.#readOn());
    done()
  }

  override _flush(done: TransformCallback): void {
    if (this.#place !== 'behind') this.#problem = 'nothing'
    done()
  }

  /** Returns whether there may be more to read in what came so far. */
  #readOn(): boolean {
    if (this.#place === 'head') return this.#readHead()
    if (this.#place !== 'behind') return this.#readContent()
    this.#rest = noBytes
    return false
  }

  #readContent(): boolean {
    const at = this.#rest.indexOf(this.#delimiter)
    // The last bytes may be the begin of a delimiter.
    const end = at < 0 ? Math.max(0, this.#rest.length - this.#delimiter.length + 1) : at
    if (this.#place === 'file') this.push(this.#rest.subarray(0, end))
    this.#rest = this.#rest.subarray(at < 0 ? end : end + this.#delimiter.length)
    if (at >= 0) this.#place = 'head'
    return at >= 0
  }

  #readHead(): boolean {
    if (this.#rest.length < 2) return false
    if (this.#rest.toString('latin1', 0, 2) === '--') return this.#skipRest()
    const end = this.#rest.subarray(0, mostHeadBytes).indexOf(headEnd)
    if (end >= 0) return this.#begin(this.#rest.toString('latin1', 0, end), end + headEnd.length)
    return this.#rest.length < mostHeadBytes ? false : this.#skipRest('nothing')
  }

  #begin(head: string, contentAt: number): boolean {
    this.#parts += 1
    if (this.#parts > mostParts) return this.#skipRest('nothing')
    this.#rest = this.#rest.subarray(contentAt)
    const isFile = /^content-disposition:.*;\s*filename\*?=/im.test(head)
    if (isFile) this.#files += 1
    if (this.#files > 1) return this.#skipRest('several')
    this.#place = isFile ? 'file' : 'elsewhere'
    return true
  }

  #skipRest(problem?: BodyProblem): boolean {
    this.#problem = problem
    this.#place = 'behind'
    return true
  }
}

const noBytes = Buffer.alloc(0)

/** `undefined`: the type names none. */
export function boundaryOf(contentType = ''): string | undefined {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? []
  return quoted ?? plain
}
