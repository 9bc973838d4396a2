/** The search at the top of the list. What is sought is posted, so that it is in no address. */
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'
import { paths } from './paths.ts'

export function searchForm(sought = ''): Html {
  return html`<form class="search" role="search" method="post" action="${paths.search}">
<label class="unseen" for="q">Search</label>
<input type="search" id="q" name="q" value="${sought}" placeholder="Name, phone, words" autocomplete="off" maxlength="400" enterkeyhint="search">
<button type="submit" class="quiet">Search</button>
</form>
`
}
