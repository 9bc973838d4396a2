/** The client's address: the nearest one that is not a trusted proxy. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { ipv6Groups, isLoopback, unmap } from './ip-address.ts'
import { rememberByHeader } from './negotiate.ts'

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

export type AddressOptions = {
  proxies: Proxies
  /** The site has a public address: somebody passes requests on from there. */
  published: boolean
  /** Called once: a peer that is not trusted says for whom it asks. */
  untrustedProxy: () => void
}

/** What an address needs of a request. */
type Asking = Pick<IncomingMessage, 'headers' | 'httpVersionMinor' | 'method'> & {
  socket: Pick<Socket, 'remoteAddress'>
}

/** Kept on the socket, because every request of a connection needs it. */
const ownAddress = Symbol('address')
type Peer = { trusted: boolean; loopback: boolean; local: ClientAddress; away: ClientAddress }
type Known = Asking['socket'] & { [ownAddress]?: Peer }

export function createReadAddress(options: AddressOptions): (request: Asking) => ClientAddress {
  const { proxies, published, untrustedProxy } = options
  let warned = false

  return (request) => {
    const socket = request.socket as Known
    const { headers } = request
    const peer = (socket[ownAddress] ??= readPeer(socket.remoteAddress ?? '', proxies))
    const forwarded = isForwarded(headers)
    if (forwarded && !peer.trusted && !warned) {
      warned = true
      untrustedProxy()
    }
    if (peer.trusted && headers['x-forwarded-for'] !== undefined) {
      const forwardedFor = headers['x-forwarded-for'] as string
      return {
        network: clientNetwork(socket.remoteAddress ?? '', forwardedFor, proxies),
        local: false,
      }
    }
    return peer.loopback && !forwarded && isLocal(request, published) ? peer.local : peer.away
  }
}

function readPeer(address: string, proxies: Proxies): Peer {
  const network = clientNetwork(address, undefined, proxies)
  return {
    trusted: proxies.has(address),
    loopback: isLoopback(unmap(address)),
    local: { network, local: true },
    away: { network, local: false },
  }
}

/** `Via` says nothing of a proxy of ours: clients have proxies, too. */
function isForwarded(headers: Asking['headers']): boolean {
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

const isLoopbackHost = rememberByHeader(
  (host) => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host),
  false,
)

/** Of the rightmost hop that is not a trusted proxy; anybody can write what lies left of it. */
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
  return isIP(address) === 6 ? networkOf(address) : address
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
