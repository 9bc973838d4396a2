/** Many rows as one value of a statement: a statement for each row costs PostgreSQL several times as much. */
import type { Dialect } from './engine.ts'

/** The elements of a JSON array as rows, each a `value`. `parameter`: `$1`, … */
export function jsonRows(dialect: Dialect, parameter: string): string {
  return dialect === 'sqlite'
    ? `json_each(${parameter})`
    : `jsonb_array_elements(cast(${parameter} as jsonb))`
}
