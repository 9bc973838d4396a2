import assert from 'node:assert/strict'
import test from 'node:test'
import { Html } from '../html.ts'
import { createRenderer } from './markdown.ts'
import type { PublicFiles } from './public-files.ts'

const files = { picture: (path: string) => new Html(`<img src="${path}">`) }

function render(...paragraphs: readonly string[]): string {
  const findBlock = () => ({ markdown: '', html: '<form></form>' })
  return createRenderer(findBlock, files as unknown as PublicFiles)(paragraphs.join('\n\n')).text
}

test('a picture alone is a figure, the text after it its caption, and figures in a row a gallery', () => {
  assert.equal(
    render('![](a.jpg)', '![](b.jpg)\nBefore *and* after', 'Text ![](c.jpg)', '![](d.jpg)'),
    `<div class="photos">
<figure class="drawing"><img src="a.jpg"></figure>
<figure class="drawing"><img src="b.jpg"><figcaption>Before <em>and</em> after</figcaption></figure>
</div>
<p>Text <img src="c.jpg"></p>
<figure class="drawing"><img src="d.jpg"></figure>
`,
  )
})

test('each heading of the second rank begins a section, and a placeholder alone becomes its block', () => {
  assert.equal(
    render('Before', '## First', '{{form}}', '## Next'),
    `<p>Before</p>
<section aria-labelledby="first">
<h2 id="first">First</h2>
<form></form>
</section>
<section aria-labelledby="next">
<h2 id="next">Next</h2>
</section>
`,
  )
})

test('a link alone in a paragraph is a button, and in a list it is a link', () => {
  assert.equal(
    render('[Ask](/contact/)', '- [Gas Safe](https://example.com/)\n- VAT'),
    `<p class="action"><a href="/contact/" class="button">Ask</a></p>
<ul>
<li><a href="https://example.com/">Gas Safe</a></li>
<li>VAT</li>
</ul>
`,
  )
})
