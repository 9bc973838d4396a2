/** The client's address: the nearest one that is not a trusted proxy. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export type ClientAddress = {
  /** What is counted: the IPv4 address, or the /64 an IPv6 address lies in. */
  readonly network: string
  /** A tool on this machine. See docs/decisions/0029-local.md. */
  readonly local: boolean
}

export type Proxies = { has(address: string): boolean }

/** Each entry is an address or a range such as 10.0.0.0/8, and valid. */
export function readProxies(entries: readonly string[]): Proxies {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const version = address.includes(':') ? 'ipv6' : 'ipv4'
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

/** What an address needs of a request. */
type Asking = Pick<IncomingMessage, 'headers' | 'httpVersionMinor' | 'method'>

/** The other end of a connection. Made once for all its requests. */
export class Peer {
  /** What is counted of this address itself. */
  readonly network: string
  /** A proxy of ours: it connects for many clients. */
  readonly isTrusted: boolean
  readonly #address: string
  readonly #proxies: Proxies

  constructor(address: string, proxies: Proxies) {
    this.network = clientNetwork(address, undefined, proxies)
    this.isTrusted = proxies.has(address)
    this.#address = unmap(address)
    this.#proxies = proxies
  }

  /** The client for whom it asks. `published`: the site has a public address, so somebody passes requests on. */
  clientOf(request: Asking, published: boolean): ClientAddress {
    const forwardedFor = request.headers['x-forwarded-for'] as string | undefined
    if (this.isTrusted && forwardedFor !== undefined) {
      return { network: clientNetwork(this.#address, forwardedFor, this.#proxies), local: false }
    }
    const isTool = isLoopback(this.#address) && !isForwarded(request) && isLocal(request, published)
    return { network: this.network, local: isTool }
  }
}

/** `Via` says nothing of a proxy of ours: clients have proxies, too. */
export function isForwarded({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return (
    headers['x-forwarded-for'] !== undefined ||
    headers['x-real-ip'] !== undefined ||
    headers.forwarded !== undefined
  )
}

/** nginx with a bare `proxy_pass` sends a loopback Host and no such header, but speaks HTTP/1.0. */
function isLocal({ headers, httpVersionMinor, method }: Asking, published: boolean): boolean {
  return (
    httpVersionMinor === 1 &&
    headers.via === undefined &&
    isLoopbackHost(headers.host) &&
    !(published && method === 'POST')
  )
}

/** Whether others than this machine can use the address of the site. */
export function isPublic(baseUrl: string): boolean {
  return !isLoopbackHost(new URL(baseUrl).host)
}

function isLoopbackHost(host = ''): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host)
}

/** The network of the rightmost hop that is not a trusted proxy; anybody can write what lies left of it. */
export function clientNetwork(
  peer: string,
  forwardedFor: string | undefined,
  proxies: Proxies,
): string {
  let client = unmap(peer)
  if (forwardedFor === undefined || !proxies.has(client)) return toNetwork(client)
  for (const hop of forwardedFor.split(',').toReversed()) {
    const address = readHop(hop)
    if (address === undefined) break
    client = address
    if (!proxies.has(address)) break
  }
  return toNetwork(client)
}

function toNetwork(address: string): string {
  if (isIP(address) !== 6) return address
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

/** An IPv4 client of a dual-stack socket shows as ::ffff:192.0.2.1. */
function unmap(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
}

function isLoopback(address: string): boolean {
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
