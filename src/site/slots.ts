/** Places in a page that are filled for each request: the form, the reference. */
import { Html } from '../http/html.ts'

export type Slot = 'form' | 'reference'

export function slotMark(slot: Slot): string {
  return `<!--${slot}-->`
}

/** The page in two halves, so that filling it is putting three texts together. */
export function createFiller(page: Html, slot: Slot): (filling: Html) => Html {
  const [before = '', after = ''] = page.text.split(slotMark(slot))
  return (filling) => new Html(before + filling.text + after)
}
