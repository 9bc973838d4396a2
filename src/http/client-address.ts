/** Finds the address of a client: the nearest one that is not a trusted proxy. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export type ClientAddress = {
  /** An IPv4 address, or the /64 of an IPv6 address. */
  readonly network: string
  /** Whether the client is a tool on this machine. See docs/decisions/0006-limits.md. */
  readonly local: boolean
}

export class Proxies {
  readonly #list = new BlockList()

  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [address = '', bits] = entry.split('/')
      // `addSubnet` throws for what is no address. `isIP` would compile a large pattern at each start.
      const isV6 = address.includes(':')
      this.#list.addSubnet(address, Number(bits ?? (isV6 ? 128 : 32)), isV6 ? 'ipv6' : 'ipv4')
    }
  }

  has(address: string): boolean {
    const version = isIP(address)
    // A client of a Unix socket has the address '', and counts as a trusted proxy.
    return version === 0 || this.#list.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
}

export type Peer = {
  readonly network: string
  readonly isLoopback: boolean
  readonly isProxy: boolean
}

export function toPeer(address: string, proxies: Proxies): Peer {
  const isLoopback = /^(?:::1$|127\.|::ffff:127\.)/.test(address)
  return { network: toNetwork(address), isLoopback, isProxy: proxies.has(address) }
}

/** No client of a `published` site is local, because a proxy may run on this machine. */
export function clientOf(
  request: Pick<IncomingMessage, 'headers' | 'httpVersionMinor'>,
  { peer, proxies, published }: { peer: Peer; proxies: Proxies; published: boolean },
): ClientAddress {
  const { headers, httpVersionMinor } = request
  const local =
    !published &&
    peer.isLoopback &&
    isLoopbackHost(headers.host) &&
    !isForwarded(request) &&
    headers.via === undefined &&
    // A bare `proxy_pass` of nginx adds none of these headers, but speaks HTTP/1.0.
    httpVersionMinor === 1
  const hops = headers['x-forwarded-for'] as string | undefined
  const network = hops === undefined ? peer.network : networkBehind(peer, proxies, hops)
  return { network, local }
}

/** `Via` does not count, because a proxy in the client's own network sends it as well. */
export function isForwarded({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const { 'x-forwarded-for': hops, 'x-real-ip': address, forwarded } = headers
  return (hops ?? address ?? forwarded) !== undefined
}

export function isPublic(baseUrl: string): boolean {
  return !isLoopbackHost(new URL(baseUrl).host)
}

function isLoopbackHost(host = ''): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host)
}

/** Takes the rightmost hop that is no trusted proxy, because clients can forge those left of it. */
function networkBehind(peer: Peer, proxies: Proxies, forwardedFor: string): string {
  let { network, isProxy } = peer
  for (const hop of forwardedFor.split(',').map(readHop).toReversed()) {
    if (!isProxy || isIP(hop) === 0) break
    network = toNetwork(hop)
    isProxy = proxies.has(hop)
  }
  return network
}

/** Proxies write an address bare, with a port, or in brackets. */
function readHop(hop: string): string {
  const text = hop.trim().replace(/^"(.*)"$/, '$1')
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
}

function toNetwork(address: string): string {
  // On a dual-stack socket an IPv4 client has an address such as ::ffff:192.0.2.1.
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) !== 6) return plain
  // `URL` writes every spelling of an IPv6 address in one way, but rejects a zone (%eth0).
  const { hostname } = new URL(`http://[${plain.split('%')[0]}]/`)
  const halves = hostname.slice(1, -1).split('::')
  const [head = [], tail = []] = halves.map((half) => half.split(':').filter(Boolean))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}

/** Turns an IPv6 /64 into its /48, because one stranger may have all 65,536 networks of a /48. */
export function toSite(network: string): string {
  return network.replace(/^((?:[\da-f]+:){3})[\da-f]+::\/64$/, '$1:/48')
}
