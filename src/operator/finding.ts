/** One result of `doctor`. */
export type Finding = { check: string; result: 'ok' | 'warning' | 'failed'; words: string }

export function ok(check: string, words: string): Finding {
  return { check, result: 'ok', words }
}

export function warning(check: string, words: string): Finding {
  return { check, result: 'warning', words }
}

export function failed(check: string, words: string): Finding {
  return { check, result: 'failed', words }
}
