/** A value that is made when first used, and then kept. After a failure the next use tries again. */
export type Lazy<T> = {
  /** `undefined` until it is made. */
  readonly made: () => T | undefined
  /** Synchronous once the value is made. */
  readonly use: <R>(work: (made: T) => R | Promise<R>) => R | Promise<R>
}

export function createLazy<T>(make: () => Promise<T>): Lazy<T> {
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

type Method = (...given: never[]) => Promise<unknown>

/** An object whose methods are made, all at once, when the first of them is called. */
export function createLateMethods<T extends Record<keyof T, Method>>(
  names: Readonly<Record<keyof T, true>>,
  make: () => Promise<T>,
): T {
  const late = createLazy(make)
  const methods = Object.keys(names).map((name) => [
    name,
    async (...given: never[]) => late.use((made) => made[name as keyof T](...given)),
  ])
  return Object.fromEntries(methods) as T
}
