/** Questions of one moment travel together: one connection, one round trip, answered in their order. */

type Question<Query, Answer> = PromiseWithResolvers<Answer> & { query: Query }

/** Past this another connection takes the next ones. */
const most = 16

/** `send` rejects if all of them failed. */
export function askTogether<Query, Answer>(
  send: (queries: readonly Query[]) => Promise<PromiseSettledResult<Answer>[]>,
): (query: Query) => Promise<Answer> {
  let waiting: Question<Query, Answer>[] = []

  return (query) => {
    const added = { query, ...Promise.withResolvers<Answer>() }
    if (waiting.push(added) === 1) queueMicrotask(sendWaiting)
    return added.promise
  }

  function sendWaiting(): void {
    const asked = waiting
    waiting = []
    for (let from = 0; from < asked.length; from += most) {
      void settle(asked.slice(from, from + most))
    }
  }

  async function settle(questions: readonly Question<Query, Answer>[]): Promise<void> {
    try {
      const outcomes = await send(questions.map(({ query }) => query))
      for (const [index, { resolve, reject }] of questions.entries()) {
        const outcome = outcomes[index]!
        if (outcome.status === 'fulfilled') resolve(outcome.value)
        else reject(outcome.reason)
      }
    } catch (error) {
      for (const { reject } of questions) reject(error)
    }
  }
}
