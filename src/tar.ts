/** The head of a file in a tar archive (POSIX ustar). */

/** Everything in an archive is padded to whole blocks. */
const tarBlock = 512
/** An archive ends with two empty blocks. */
export const tarEnd = Buffer.alloc(2 * tarBlock)

type TarFile = { path: string; size: number; mode: number; timeS: number }

/** Sizes past this, 8 GiB, are written as GNU tar does. */
const octalLimit = 8 ** 11

/** Throws where the path is too long for the format: 100 bytes, or 255 with a `/` in the right place. */
export function toTarHead({ path, size, mode, timeS }: TarFile): Buffer {
  const head = Buffer.alloc(tarBlock)
  const [prefix, name] = splitPath(path)
  head.write(name, 0, 100)
  head.write(octal(mode, 7), 100)
  head.write(octal(0, 7), 108)
  head.write(octal(0, 7), 116)
  if (size < octalLimit) head.write(octal(size, 11), 124)
  else {
    head[124] = 0x80
    head.writeBigUInt64BE(BigInt(size), 128)
  }
  head.write(octal(timeS, 11), 136)
  head.write('0', 156)
  head.write('ustar\u000000', 257)
  head.write(prefix, 345, 155)
  head.write(`${octal(sumOf(head), 6)}\0 `, 148)
  return head
}

/** How many bytes follow a file of this size, up to the next block. */
export function tarPadding(size: number): number {
  return (tarBlock - (size % tarBlock)) % tarBlock
}

function splitPath(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path]
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)]
    if (Buffer.byteLength(prefix) <= 155 && Buffer.byteLength(name) <= 100) return [prefix, name]
  }
  throw new Error(`The path ${path} is too long for an archive. Shorten it.`)
}

/** The checksum counts its own field as blanks. */
function sumOf(head: Buffer): number {
  let sum = 8 * 32
  for (const [at, byte] of head.entries()) if (at < 148 || at >= 156) sum += byte
  return sum
}

function octal(number: number, digits: number): string {
  return number.toString(8).padStart(digits, '0')
}
