/** HTML as a type of its own. The template tag `html` escapes every value that is not `Html` already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Fragment = string | number | Html | readonly Html[]

export function html(parts: TemplateStringsArray, ...values: Fragment[]): Html {
  let text = parts[0]!
  for (const [index, value] of values.entries()) text += toHtml(value) + parts[index + 1]!
  return new Html(text)
}

/** For a part of a page that is left out. */
export const noHtml = new Html('')

function toHtml(value: Fragment): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map((each) => each.text).join('')
  return String(value).replaceAll(/[&<>"']/g, (sign) => entities[sign]!)
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
