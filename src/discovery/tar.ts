/** Writes a tar archive in which nothing depends on the machine or the time. */
import { tarEnd, tarPadding, toTarHead } from '../tar.ts'

export type TarEntry = { path: string; text: string }

/** As npm itself writes into packages: 1985-10-26T08:15:00Z. */
const fixedTimeS = 499_162_500

export function toTar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap(({ path, text }) => {
    const bytes = Buffer.from(text)
    const head = toTarHead({ path, size: bytes.length, mode: 0o644, timeS: fixedTimeS })
    return [head, bytes, Buffer.alloc(tarPadding(bytes.length))]
  })
  return Buffer.concat([...parts, tarEnd])
}
