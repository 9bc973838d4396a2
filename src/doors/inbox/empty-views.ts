/** What a tab says when nothing is in it. */
import type { ViewName } from '../../desk/views.ts'

export const emptyViews: Record<ViewName, string> = {
  todo: 'Nobody is waiting for you. New requests come here, those who wait longest first.',
  new: 'No new requests just now. Everyone who wrote has been seen to.',
  contacted: 'Nobody stands between a first talk and a date just now.',
  booked: 'No Consultation is booked. Mark a request as booked, and you find it here.',
  held: 'Nothing is held. What looks like spam waits here until you decide; nothing is thrown away.',
  spam: 'No spam. What you mark as spam is kept here, in case it was none.',
  done: 'Nothing is finished yet. Won, lost, not suitable and withdrawn requests rest here.',
  all: 'No request has come in yet. The first one will stand here.',
}
