/** The start of an id (UUID version 7, RFC 9562, 5.7), which sorts leads by their time. */
export function toIdStart(timeMs: number): string {
  const hex = timeMs.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}
