/** What is made when it is first asked for, and kept. */
export function lazily<Made>(make: () => Made): () => Made {
  let made: { it: Made } | undefined
  return () => (made ??= { it: make() }).it
}
