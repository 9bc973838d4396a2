/** Tables, lists and code blocks as Markdown text. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

export function shellCode(...lines: readonly string[]): string {
  return ['```sh', ...lines, '```'].join('\n')
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|')
}
