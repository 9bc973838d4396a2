/** Draws what happened to a lead, in sentences. */
import { doorWords } from '../../../contract/states.ts'
import { inSentence, type StoryEntry, type Telling } from '../../../desk/story.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { html, type Html } from '../../../html.ts'
import { inert } from '../frame/words.ts'

export type Names = Pick<Telling, 'when' | 'nameOf'>

export function tellingOf({ lead, whyHeld }: WholeLead, names: Names): Telling {
  return { ...names, cameBy: doorWords[lead.door], whyHeld }
}

const mostLines = 3

/** Shows the last lines, and folds those before them. */
export function leadStory(whole: WholeLead, names: Names): Html {
  const telling = tellingOf(whole, names)
  const lines = (entries: readonly StoryEntry[]) => html`<ol class="story">
${entries.map((entry) => storyLine(entry, telling))}</ol>
`
  const earlier = whole.story.slice(0, -mostLines)
  const folded = html`<details>
<summary>${earlier.length} earlier</summary>
${lines(earlier)}</details>
`
  return html`<section aria-labelledby="story">
<h2 id="story">What happened</h2>
${earlier.length === 0 ? '' : folded}${lines(whole.story.slice(-mostLines))}</section>
`
}

function storyLine(entry: StoryEntry, telling: Telling): Html {
  return html`<li>
<time datetime="${new Date(entry.at).toISOString()}">${telling.when(entry.at)}</time>
<span>${inert(inSentence(entry, telling))}</span>
</li>
`
}
