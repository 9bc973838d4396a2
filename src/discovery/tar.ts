/** Writes a tar archive (POSIX ustar) in which nothing depends on the machine or the time. */
export type TarEntry = { path: string; text: string }

const block = 512
/** As npm itself writes into packages: 1985-10-26T08:15:00Z. */
const fixedTimeS = 499_162_500

export function toTar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap(({ path, text }) => {
    const bytes = Buffer.from(text)
    return [toHeader(path, bytes.length), bytes, Buffer.alloc(-bytes.length & (block - 1))]
  })
  return Buffer.concat([...parts, Buffer.alloc(2 * block)])
}

function toHeader(path: string, size: number): Buffer {
  const header = Buffer.alloc(block)
  const octal = (number: number, digits: number) => number.toString(8).padStart(digits, '0')
  header.write(path, 0, 100)
  header.write(octal(0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(size, 11), 124)
  header.write(octal(fixedTimeS, 11), 136)
  // The checksum counts its own field as blanks.
  header.write(' '.repeat(8), 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 6)}\0 `, 148)
  return header
}
