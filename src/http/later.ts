/** Something that is made when first asked for, and then kept. A failed try is forgotten. */
export type Later<T> = {
  /** `undefined` until it is there. */
  readonly made: () => T | undefined
  /** At once where it is there already. */
  readonly use: <R>(work: (made: T) => R | Promise<R>) => R | Promise<R>
}

export function createLater<T>(make: () => Promise<T>): Later<T> {
  let made: { value: T } | undefined
  let making: Promise<T> | undefined

  return {
    made: () => made?.value,
    use: (work) => (made === undefined ? start().then(work) : work(made.value)),
  }

  function start(): Promise<T> {
    making ??= make().then(
      (value) => {
        made = { value }
        return value
      },
      (error: unknown) => {
        making = undefined
        throw error
      },
    )
    return making
  }
}
