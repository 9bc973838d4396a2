/** Finds the name that was meant by a misspelled one. */

/** `undefined`: none is near. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const most = Math.min(2, word.length / 2)
  const [nearest] = names
    .map((name) => ({ name, apart: distance(name.toLowerCase(), word.toLowerCase()) }))
    .filter(({ apart }) => apart <= most)
    .sort((a, b) => a.apart - b.apart)
  return nearest?.name
}

/** How many letters must be added, taken away or replaced (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from(other, (_, index) => index + 1)
  for (const [index, letter] of [...one].entries()) {
    let left = index + 1
    let corner = index
    row = row.map((above, column) => {
      const changed = corner + (letter === other[column] ? 0 : 1)
      corner = above
      left = Math.min(changed, above + 1, left + 1)
      return left
    })
  }
  return row.at(-1) ?? one.length
}
