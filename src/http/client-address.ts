/** The client's address: the nearest one that is not a trusted proxy. */
import { BlockList, isIP } from 'node:net'
import { ipv6Groups, isLoopback, unmap } from './ip-address.ts'

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
      // No address: a Unix socket, which only a proxy on this machine can open.
      return version === 0 || list.check(plain, version === 6 ? 'ipv6' : 'ipv4')
    },
  }
}

/** The rightmost hop that is not a trusted proxy; anybody can write what lies left of it. */
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
  return { network: isIP(address) === 6 ? networkOf(address) : address, local }
}

function networkOf(address: string): string {
  const groups = ipv6Groups(address).slice(0, 4)
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}

/** An address as proxies write it: bare, with a port, or in brackets. */
function readHop(hop: string): string | undefined {
  const text = hop.trim().replace(/^"(.*)"$/, '$1')
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  const address = unmap(bare.split('%')[0]!)
  return isIP(address) === 0 ? undefined : address
}
