/** Places in a page that are filled for each request: the form, the reference. */
import { Html } from '../html.ts'

export type Slot = 'form' | 'reference'

export function slotMark(slot: Slot): string {
  return `<!--${slot}-->`
}

/** The page is made when first asked for, and kept in two halves: filling it is putting three texts together. */
export function createFiller(page: () => Html, slot: Slot): (filling: Html) => Html {
  let halves: string[] | undefined
  return (filling) => {
    const [before = '', after = ''] = (halves ??= page().text.split(slotMark(slot)))
    return new Html(before + filling.text + after)
  }
}
