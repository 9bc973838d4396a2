/**
 * A bundle is named for when it was made and the schema of its database:
 * `lead-intake-2026-11-15T170000Z-s4.tar.zst`. One that a person made says so, and is never deleted by
 * the program: `lead-intake-2026-11-15T170000Z-s4-by-hand.tar.zst`.
 */
export type BundleName = { at: number; schema: number; byHand: boolean; encrypted: boolean }

export function toBundleName({ at, schema, byHand, encrypted }: BundleName): string {
  return `lead-intake-${toStamp(at)}-s${schema}${byHand ? '-by-hand' : ''}.tar.zst${encrypted ? '.age' : ''}`
}

/** `undefined`: another file. */
export function readBundleName(name: string): BundleName | undefined {
  const [, day, hour, minute, second, schema, hand, age] = pattern.exec(name) ?? []
  if (day === undefined) return undefined
  const at = Date.parse(`${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(at)) return undefined
  return { at, schema: Number(schema), byHand: hand !== undefined, encrypted: age !== undefined }
}

const pattern =
  /^lead-intake-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z-s(\d+)(-by-hand)?\.tar\.zst(\.age)?$/

/** To the second, in a form that every file system takes. */
export function toStamp(at: number): string {
  return new Date(at)
    .toISOString()
    .replaceAll(':', '')
    .replace(/\.\d+Z$/, 'Z')
}
