import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** A file may be larger than the longest string. */
const pieceBytes = 64 * 1024 * 1024
/** Longer than any text that is looked for. */
const overlapBytes = 1024

/** Names of the files in a folder in which such bytes stand. */
export function filesWith(folder: string, words: RegExp): string[] {
  return readdirSync(folder).filter((name) => hasWords(join(folder, name), words))
}

function hasWords(path: string, words: RegExp): boolean {
  const fd = openSync(path, 'r')
  try {
    for (let at = 0; ; at += pieceBytes) {
      const piece = Buffer.allocUnsafe(pieceBytes + overlapBytes)
      const bytes = readSync(fd, piece, 0, piece.length, at)
      if (words.test(piece.toString('latin1', 0, bytes))) return true
      if (bytes < piece.length) return false
    }
  } finally {
    closeSync(fd)
  }
}
