/** Parts of a page that differ for each request: the form, the reference. */
import { Html } from '../html.ts'

export type Slot = 'form' | 'reference'

export function slotMark(slot: Slot): string {
  return `<!--${slot}-->`
}

/** Splits the page once, at the first use; filling it then joins three strings. */
export function createFiller(page: () => Html, slot: Slot): (filling: Html) => Html {
  let halves: string[] | undefined
  return (filling) => {
    const [before = '', after = ''] = (halves ??= page().text.split(slotMark(slot)))
    return new Html(before + filling.text + after)
  }
}
