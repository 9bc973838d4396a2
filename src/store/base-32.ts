/** Crockford's base 32, without I, L, O and U: as in `referencePattern`. */
export const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Two characters for each number of ten bits. */
export const pairs = Array.from(
  { length: 1024 },
  (_, number) => alphabet[number >> 5]! + alphabet[number & 31]!,
)
