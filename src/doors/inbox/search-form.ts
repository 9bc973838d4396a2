/** The search at the top of the list. What is sought is posted, so that it is in no address. */
import { inboxPath } from '../../contract/routes.ts'
import { html } from '../../html.ts'
import type { Html } from '../../html.ts'

export const searchPath = `${inboxPath}search`

export function searchForm(sought = ''): Html {
  return html`<form class="search" role="search" method="post" action="${searchPath}">
<label class="unseen" for="q">Search</label>
<input type="search" id="q" name="q" value="${sought}" placeholder="Name, phone, words, reference" autocomplete="off" maxlength="400" enterkeyhint="search">
<button type="submit" class="quiet">Search</button>
</form>
`
}
