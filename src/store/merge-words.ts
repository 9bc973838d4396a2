/**
 * Removes the last words of deleted documents from SQLite's search index. FTS5 overwrites what is
 * deleted, but a word that marks the start of a page stays until the page is merged.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine, Row, Statement } from './engine/engine.ts'

/** Each step is a commit of its own. */
const pagesOfStep = 100

/**
 * Merges everything into new pages, twice: a merge that FTS5 had under way when words were deleted
 * keeps them, marked as deleted, in its result.
 */
export async function mergeWords(engine: Engine): Promise<void> {
  for (let pass = 0; pass < 2; pass += 1) await mergeOnce(engine)
  engine.forgetDeleted()
}

/** Leads get as much time in between. */
async function mergeOnce(engine: Engine): Promise<void> {
  // A single segment would not be merged, so there is a second one. No lead has this document.
  await engine.run([[`insert into search_words (rowid, words) values (0, 'x')`, []]])
  // A negative number starts the merge.
  for (let pages = -pagesOfStep; ; pages = pagesOfStep) {
    const startedAt = performance.now()
    const [before, , after] = await engine.run([changes, [mergeSql, [pages]], changes])
    // Nothing was left to merge (sqlite.org/fts5.html, 6.9).
    if (countOf(after) - countOf(before) < 2) break
    await sleep(performance.now() - startedAt)
  }
}

const changes: Statement = ['select total_changes() as n', []]
const mergeSql = `insert into search_words (search_words, rank) values ('merge', $1)`

function countOf(rows: unknown): number {
  return Number((rows as Row[])[0]!['n'])
}
