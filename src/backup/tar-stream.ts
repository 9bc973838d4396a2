/** Writes and reads a tar archive of plain files as a stream: a database does not fit into memory. */
import { readTarHead, tarBlock, tarEnd, tarPadding, toTarHead } from '../tar.ts'
import type { TarFile } from '../tar.ts'
import { BundleRefused } from './refused.ts'

/** `bytes` must yield as many as `size` says. */
export type TarPart = TarFile & { bytes: AsyncIterable<Buffer> | Iterable<Buffer> }

export async function* writeTar(parts: AsyncIterable<TarPart>): AsyncGenerator<Buffer> {
  for await (const { bytes, ...file } of parts) {
    yield toTarHead(file)
    let left = file.size
    for await (const chunk of bytes) {
      left -= chunk.length
      yield chunk
    }
    if (left !== 0) throw new Error(`${file.path} was changed while it was read. Try again.`)
    yield Buffer.alloc(tarPadding(file.size))
  }
  yield tarEnd
}

/** `keep` must read all bytes of its file. */
export async function readTar(
  chunks: AsyncIterable<Buffer>,
  keep: (file: Pick<TarFile, 'path' | 'size'>, bytes: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const reader = createReader(chunks)
  for (;;) {
    const file = readHead(await reader.take(tarBlock))
    if (file === undefined) break
    await keep(file, reader.pass(file.size))
    await reader.take(tarPadding(file.size))
  }
  // The rest is read too: the seal is checked at its end.
  await reader.drain()
}

function readHead(head: Buffer) {
  try {
    return readTarHead(head)
  } catch (error) {
    throw new BundleRefused((error as Error).message)
  }
}

function createReader(chunks: AsyncIterable<Buffer>) {
  const source = chunks[Symbol.asyncIterator]()
  let ahead: Buffer = Buffer.alloc(0)

  async function more(): Promise<void> {
    const { done, value } = await source.next()
    if (done) throw new BundleRefused('its end is missing')
    ahead = value
  }

  async function* pass(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      while (ahead.length === 0) await more()
      const chunk = ahead.subarray(0, left)
      ahead = ahead.subarray(chunk.length)
      left -= chunk.length
      yield chunk
    }
  }

  return {
    pass,
    async take(size: number): Promise<Buffer> {
      const parts: Buffer[] = []
      for await (const chunk of pass(size)) parts.push(chunk)
      return Buffer.concat(parts)
    },
    async drain(): Promise<void> {
      while (!(await source.next()).done);
    },
  }
}
