/** Encrypts a bundle for an age key, and opens it with the other half (https://age-encryption.org/v1). */
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { Decrypter, Encrypter } from 'age-encryption'
import { BundleRefused } from './refused.ts'

type Bytes = AsyncIterable<Uint8Array>

export async function* encryptFor(key: string, chunks: Bytes): AsyncGenerator<Uint8Array> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(key)
  yield* await encrypter.encrypt(toWeb(chunks))
}

/** `keyFile`: as `age-keygen` writes it. */
export async function* decryptWith(keyFile: string, chunks: Bytes): AsyncGenerator<Uint8Array> {
  const decrypter = new Decrypter()
  for (const key of readFileSync(keyFile, 'utf8').match(/^AGE-SECRET-KEY-\S+/gm) ?? []) {
    decrypter.addIdentity(key)
  }
  try {
    yield* await decrypter.decrypt(toWeb(chunks))
  } catch (error) {
    const { message } = error as Error
    throw new BundleRefused(
      message.includes('no identity') ? 'it is for another key' : 'its encryption is damaged',
    )
  }
}

function toWeb(chunks: Bytes): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(chunks)) as ReadableStream<Uint8Array>
}
