/**
 * A bundle is one file: a tar archive, compressed by zstd, sealed, and encrypted by age where there is
 * a key. `age -d | zstd -d | tar x` opens it without this program.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import { refuseOtherFile } from './allowed.ts'
import type { Part } from './manifest.ts'
import { BundleRefused } from './refused.ts'
import { seal, unseal } from './seal.ts'
import { readTar, writeTar } from './tar-stream.ts'
import type { TarPart } from './tar-stream.ts'

const chunkBytes = 1024 * 1024
const compression = {
  chunkSize: chunkBytes,
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
}

/** `path` must not exist. Synced when it resolves; the folder is not. */
export async function writeBundle(
  path: string,
  parts: AsyncIterable<TarPart>,
  key: string | undefined,
): Promise<void> {
  const age = key === undefined ? undefined : await import('./age.ts')
  await pipeline(
    Readable.from(writeTar(parts)),
    createZstdCompress(compression),
    seal,
    (chunks: AsyncIterable<Buffer>) => age?.encryptFor(key!, chunks) ?? chunks,
    // `flush`: synced before it is closed.
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: chunkBytes }),
  )
}

/** Writes all its files into the folder, for this user alone. Returns their hashes. */
export async function unpackBundle(
  path: string,
  folder: string,
  keyFile?: string,
): Promise<Map<string, Part>> {
  const unpacked = new Map<string, Part>()
  if (path.endsWith('.age') && keyFile === undefined) {
    throw new BundleRefused('it is encrypted; name the file of the key (--key)')
  }
  const age = path.endsWith('.age') ? await import('./age.ts') : undefined
  try {
    await pipeline(
      createReadStream(path, { highWaterMark: chunkBytes }),
      (chunks: AsyncIterable<Buffer>): AsyncIterable<Uint8Array> =>
        age?.decryptWith(keyFile!, chunks) ?? chunks,
      unseal,
      createZstdDecompress({ chunkSize: chunkBytes }),
      (chunks: AsyncIterable<Buffer>) =>
        readTar(chunks, async (file, bytes) => {
          refuseOtherFile(file, folder, unpacked.size)
          if (unpacked.has(file.path)) throw new BundleRefused('it holds a path twice')
          unpacked.set(file.path, await unpack(join(folder, file.path), file.path, bytes))
        }),
    )
  } catch (error) {
    throw explain(error)
  }
  return unpacked
}

async function unpack(target: string, path: string, bytes: AsyncIterable<Buffer>): Promise<Part> {
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const hash = createHash('sha256')
  let size = 0
  const counted = async function* () {
    for await (const chunk of bytes) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  await pipeline(counted, createWriteStream(target, { flags: 'wx', mode: 0o600 }))
  return { path, bytes: size, sha256: hash.digest('hex') }
}

/** As of a file and a folder of one name. What is unpacked into is empty at first. */
const pathFaults = new Set(['EEXIST', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'])

/** Decompression fails first where bytes were changed. */
function explain(error: unknown): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  // Nothing but the bundle itself is read.
  if (code === 'EISDIR' && syscall === 'read') return new BundleRefused('it is a folder')
  if (pathFaults.has(code)) return new BundleRefused('it holds paths that no folder can hold')
  if (code === 'ZSTD_error_prefix_unknown') {
    return new BundleRefused('it is no backup of this program, or its beginning is damaged')
  }
  if (/^(?:ZSTD_|Z_|ERR_ZSTD|ERR_BUFFER)/.test(code)) {
    return new BundleRefused(`it is damaged (${code})`)
  }
  return error
}
