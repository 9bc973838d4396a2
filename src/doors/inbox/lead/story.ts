/** Draws what happened to a lead, in sentences. */
import { doorWords } from '../../../contract/states.ts'
import { inSentence, type StoryEntry, type StoryContext } from '../../../desk/story.ts'
import { type WholeLead } from '../../../desk/whole-lead.ts'
import { html, type Html } from '../../../html.ts'
import { withoutControls } from '../frame/words.ts'

export type Names = Pick<StoryContext, 'when' | 'nameOf'>

export function storyContextOf({ lead, whyHeld }: WholeLead, names: Names): StoryContext {
  return { ...names, cameBy: doorWords[lead.door], whyHeld, lead }
}

const lastLines = 3
/** A fold of one or two lines would be as long as they are. */
const fewestFolded = 3

/** Shows the last lines, and folds those before them. */
export function leadStory(whole: WholeLead, names: Names): Html {
  const context = storyContextOf(whole, names)
  const lines = (entries: readonly StoryEntry[]) => html`<ol class="story">
${entries.map((entry) => storyLine(entry, context))}</ol>
`
  const before = whole.story.length - lastLines
  const earlier = whole.story.slice(0, before < fewestFolded ? 0 : before)
  const folded = html`<details>
<summary>${earlier.length} earlier</summary>
${lines(earlier)}</details>
`
  return html`<section aria-labelledby="story">
<h2 id="story">What happened</h2>
${earlier.length === 0 ? '' : folded}${lines(whole.story.slice(earlier.length))}</section>
`
}

function storyLine(entry: StoryEntry, context: StoryContext): Html {
  return html`<li>
<time datetime="${new Date(entry.at).toISOString()}">${context.when(entry.at)}</time>
<span>${withoutControls(inSentence(entry, context))}</span>
</li>
`
}
