/** The shared SQL in SQLite's dialect. */

/** The number of values a text takes: the highest number after a `$`. */
export function countParameters(sql: string): number {
  return Math.max(0, ...parametersOf(sql))
}

function parametersOf(sql: string): number[] {
  return Array.from(sql.matchAll(/\$(\d+)/g), ([, number]) => Number(number))
}

/**
 * `$1` becomes `?`, or `?1` where the numbers are out of order: node binds numbered parameters more
 * slowly. There is one writer, so no rows need a lock.
 */
export function toSqlite(sql: string): string {
  const inOrder = parametersOf(sql).every((number, index) => number === index + 1)
  return sql.replaceAll(/\$(\d+)/g, inOrder ? '?' : '?$1').replace(' for update skip locked', '')
}
