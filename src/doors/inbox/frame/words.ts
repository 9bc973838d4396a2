/** Words, times and drawings that several pages show. */
import { dayMs, hourMs, inWords, minuteMs } from '../../../time.ts'
import { ownerMail, senderMail } from '../../../contract/notices.ts'
import { howToType, newestBackupWords, sizeInWords } from '../../../words.ts'
import { html, type Html, noHtml } from '../../../html.ts'
import { isDrilled, isLate, readBackupState } from '../../../store/backup-state.ts'
import { type Inbox } from './inbox.ts'

/** Shows a stranger's text so that right-to-left characters cannot reorder the page around it. */
export function said(text: string): Html {
  return html`<bdi>${withoutControls(text)}</bdi>`
}

/** Replaces characters that could hide or reorder text with a visible sign. */
export function withoutControls(text: string): string {
  return text.replaceAll(turning, '\uFFFD')
}

const turning = /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g

export function ageInWords(at: number, now: number): string {
  const ms = Math.max(0, now - at)
  if (ms < hourMs) return `${Math.max(1, Math.floor(ms / minuteMs))} min`
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h`
  const days = Math.floor(ms / dayMs)
  if (days < 14) return days === 1 ? '1 day' : `${days} days`
  if (days < 100) return `${Math.floor(days / 7)} weeks`
  return days < 730 ? `${Math.floor(days / 30)} months` : `${Math.floor(days / 365)} years`
}

export async function backupWords(inbox: Inbox): Promise<string> {
  const { store, backupEveryMs, business, now } = inbox
  const state = await readBackupState(store, now())
  if (state.made !== undefined) {
    const checked = isDrilled(state, now()) ? ', restored and checked' : ''
    const when = inWords(state.made.at, business.timeZone)
    return `last ${when}, ${sizeInWords(state.made.bytes)}${checked}`
  }
  return backupEveryMs === undefined ? 'not set up: name a folder in BACKUP_TO' : 'there is none'
}

export async function backupWarning(inbox: Inbox): Promise<Html> {
  const { store, backupEveryMs, business, now } = inbox
  if (backupEveryMs === undefined) return noHtml
  const state = await readBackupState(store, now())
  if (!isLate(state, backupEveryMs, now())) return noHtml
  const newest = newestBackupWords(state.made && inWords(state.made.at, business.timeZone))
  return html`<p class="alert">Backups fail. ${newest}. The command <code>${howToType('backup')}</code> shows why.</p>
`
}

/** A notice that has been due for longer than this counts as stuck. */
const stuckMs = 3 * minuteMs

export async function noticeWarning({ store, business, now }: Inbox): Promise<Html> {
  const stuck = await store.deliveries.count(now() - stuckMs)
  // Counts only channels that are set up, and no emails to customers, whose mail servers may be
  // slow.
  const channels = new Set<string>(Object.values(store.recipients).flat())
  const waiting = stuck.filter(
    (each) => each.waiting > 0 && each.channel !== senderMail && channels.has(each.channel),
  )
  const [first] = waiting
  if (first === undefined) return noHtml
  const since = inWords(first.oldestAt ?? now(), business.timeZone, now())
  const by = waiting.map(({ channel }) => (channel === ownerMail ? 'mail' : channel)).join(' or ')
  return html`<p class="alert">No ${by} notification has gone out since ${since}. The requests are kept, and the notifications are tried again. The command <code>${howToType('doctor')}</code> shows what is wrong.</p>
`
}

/** A page that uses icons must have them in an `iconSheet`. */
export type Icon = 'call' | 'text' | 'mail' | 'map'

export function icon(name: Icon): Html {
  return html`<svg class="icon" aria-hidden="true"><use href="#${name}"/></svg>`
}

const drawings: Record<Icon, Html> = {
  call: html`<path d="M6.6 3h3l1.5 4.6-2.3 1.7a13 13 0 0 0 5.9 5.9l1.7-2.3L21 14.4v3A3.3 3.3 0 0 1 17.7 21 14.7 14.7 0 0 1 3 6.3 3.3 3.3 0 0 1 6.6 3z"/>`,
  text: html`<path d="M4 4h16a1.5 1.5 0 0 1 1.5 1.5v10A1.5 1.5 0 0 1 20 17h-9l-5 4v-4H4a1.5 1.5 0 0 1-1.5-1.5v-10A1.5 1.5 0 0 1 4 4zM7 9h10M7 12.5h6"/>`,
  mail: html`<path d="M4 5h16a1.5 1.5 0 0 1 1.5 1.5v11A1.5 1.5 0 0 1 20 19H4a1.5 1.5 0 0 1-1.5-1.5v-11A1.5 1.5 0 0 1 4 5zM3 7l9 6.5L21 7"/>`,
  map: html`<path d="M12 21.5C8 17 5 13.5 5 9.8a7 7 0 0 1 14 0c0 3.7-3 7.2-7 11.7zM12 7.3a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z"/>`,
}

export function iconSheet(...names: Icon[]): Html {
  const symbols = names.map(
    (name) => html`<symbol id="${name}" viewBox="0 0 24 24">${drawings[name]}</symbol>`,
  )
  return html`<svg hidden>${symbols}</svg>
`
}
