/**
 * Whether an address belongs to the public internet. Everything that the registries of IANA call
 * not globally reachable is refused, in every form that hides one inside another: a webhook must
 * not become a way into the owner's own network.
 */
import { lookup } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { ipv6Groups } from '../../http/client-address.ts'

export function isPublicAddress(address: string): boolean {
  const [plain = ''] = address.split('%')
  switch (isIP(plain)) {
    case 4:
      return !notGlobal.check(plain, 'ipv4')
    case 6:
      return isPublicV6(plain)
    default:
      return false
  }
}

/** Only 2000::/3 is allocated (RFC 4291, 2.4). */
function isPublicV6(address: string): boolean {
  if (!globalUnicast.check(address, 'ipv6') || notGlobal.check(address, 'ipv6')) return false
  const groups = ipv6Groups(address)
  // 6to4 carries an IPv4 address in its second and third group (RFC 3056).
  return groups[0] !== 0x2002 || isPublicAddress(toV4(groups[1]!, groups[2]!))
}

const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/** IANA special-purpose registries for IPv4 and IPv6; multicast and reserved ranges with them. */
const ranges = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2620:4f:8000::/48',
  '3fff::/20',
]

const notGlobal = new BlockList()
for (const range of ranges) {
  const [address = '', bits] = range.split('/')
  notGlobal.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function toV4(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

export class AddressNotAllowed extends Error {
  override name = 'AddressNotAllowed'
  readonly code = 'EADDRNOTALLOWED'
}

/**
 * Looks a name up for a connection that is about to be made, and gives it public addresses only. The
 * check and the connection use the same answer, so a name that changes between them gains nothing.
 */
export function publicLookup(resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const allowed = found.filter(({ address }) => isPublicAddress(address))
      const [first] = allowed
      if (first === undefined) return callback(new AddressNotAllowed('not a public address'), '')
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
