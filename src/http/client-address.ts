/** Who is asking: the nearest address that is not one of our own proxies. */
import { BlockList, isIP } from 'node:net'

export type ClientAddress = {
  /** What is counted: the IPv4 address, or the /64 an IPv6 address lies in. */
  readonly network: string
  /** A loopback client that no proxy spoke for: a tool on this machine. */
  readonly local: boolean
}

export type Proxies = { has(address: string): boolean }

/** Each entry is an address or a range such as 10.0.0.0/8. */
export function readProxies(entries: readonly string[]): Proxies {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const version = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (version === 'ipv6' ? 128 : 32)), version)
  }
  return {
    has(address) {
      const plain = unmap(address)
      const version = isIP(plain)
      // No address at all is a Unix socket, which only a proxy on this machine can open.
      return version === 0 || list.check(plain, version === 6 ? 'ipv6' : 'ipv4')
    },
  }
}

/** The rightmost hop that is not a trusted proxy; what lies left of it is anybody's word. */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  proxies: Proxies,
): ClientAddress {
  const nearest = unmap(peer)
  if (forwardedFor === undefined || !proxies.has(nearest))
    return toClient(nearest, isLoopback(nearest))
  let client = nearest
  for (const hop of forwardedFor.split(',').toReversed()) {
    const address = readHop(hop)
    if (address === undefined) break
    client = address
    if (!proxies.has(address)) break
  }
  return toClient(client, false)
}

function toClient(address: string, local: boolean): ClientAddress {
  return { network: isIP(address) === 6 ? `${firstFourGroups(address)}::/64` : address, local }
}

/** An address as proxies write it: bare, with a port, or in brackets. */
function readHop(hop: string): string | undefined {
  const text = hop.trim().replace(/^"(.*)"$/, '$1')
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  const address = unmap(bare.split('%')[0]!)
  return isIP(address) === 0 ? undefined : address
}

/** An IPv4 client of a dual-stack socket shows as ::ffff:192.0.2.1. */
function unmap(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

function firstFourGroups(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  // An IPv4 tail stands for two groups.
  const width = (groups: string[]) => groups.length + (groups.at(-1)?.includes('.') ? 1 : 0)
  const zeros = Array.from({ length: Math.max(0, 8 - width(before) - width(after)) }, () => '0')
  return [...before, ...(tail === undefined ? [] : zeros), ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
