/** IP addresses as text, in the spellings that sockets and proxies use. */

/** An IPv4 client of a dual-stack socket shows as ::ffff:192.0.2.1. */
export function unmap(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

export function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

/** The eight numbers of an IPv6 address, without its zone. */
export function ipv6Groups(address: string): number[] {
  // The parser of URLs writes every spelling in one way.
  const plain = new URL(`http://[${address.split('%')[0]}]/`).hostname.slice(1, -1)
  const [head = '', tail = ''] = plain.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16))
}
