/**
 * How long a test waits for something that must happen. Longer than the slowest machine needs, so
 * that only a hang uses it up.
 */
export const patienceMs = 180_000
