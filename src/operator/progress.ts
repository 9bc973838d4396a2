/** How far a long command is: one line on the terminal, and nothing where standard error is none. */
import type { Progress } from '../backup/make.ts'

const everyMs = 100

export function showProgress(): { show: Progress; end(): void } {
  const { stderr } = process
  let shownAt = 0
  let isShown = false
  return {
    show(step, done, of) {
      if (!stderr.isTTY || (isShown && Date.now() - shownAt < everyMs)) return
      shownAt = Date.now()
      isShown = true
      const far = of ? ` ${Math.floor((100 * done) / of)} %` : done > 0 ? ` ${done} rows` : ''
      stderr.write(`\r\u001b[K${step}${far}`)
    },
    end() {
      if (isShown) stderr.write('\r\u001b[K')
      isShown = false
    },
  }
}
