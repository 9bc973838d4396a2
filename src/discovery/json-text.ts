/** JSON for people and programs: what fits into a line stands in one line. */

const lineLength = 100

export function writeJson(value: object): string {
  return `${write(value, '')}\n`
}

function write(value: unknown, indent: string): string {
  const line = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || line.length <= lineLength) return line
  const inner = `${indent} `
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => inner + write(item, inner)).join(',\n')}\n${indent}]`
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${inner}${JSON.stringify(name)}: ${write(member, inner)}`)
  return `{\n${members.join(',\n')}\n${indent}}`
}
