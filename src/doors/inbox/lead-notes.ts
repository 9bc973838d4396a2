/** The notes of the members about a lead, and the field for a new one. */
import { longestNote } from '../../desk/acts.ts'
import type { WholeLead } from '../../desk/whole-lead.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import type { When } from './lead-story.ts'
import { inert } from './said.ts'

export type NotesLook = {
  when: When
  nameOf: (by: string) => string
  /** What stands in the field, of a note that could not be kept. */
  words: string
}

export function leadNotes({ notes }: WholeLead, { when, nameOf, words }: NotesLook): Html {
  const rows = notes.map(
    (note) => html`<li><p class="said" dir="auto">${inert(note.words)}</p>
<small>${nameOf(note.memberId)}, ${when(note.at)}</small></li>
`,
  )
  return html`<section class="notes" aria-labelledby="notes">
<h2 id="notes">Notes</h2>
${rows.length === 0 ? '' : html`<ul class="sheet">${rows}</ul>`}<label class="unseen" for="words">New note</label>
<textarea id="words" name="words" rows="3" maxlength="${longestNote}" placeholder="What you agreed, when to ring again" required>${words}</textarea>
<button type="submit" class="quiet">Keep the note</button>
</section>
`
}
