// Which IP addresses gitmoor does not connect to. Link-local addresses serve the metadata and credentials of a machine.
import { lookup as systemLookUp, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { Rejected } from '../../model/errors.js'
import { parseNetwork } from './parse-network.js'
import { quoted, showText } from '../../lib/text/printable.js'
import { embeddedIpv4 } from './embedded-ipv4.js'

const unsafe = new BlockList()
unsafe.addSubnet('169.254.0.0', 16, 'ipv4')
unsafe.addSubnet('fe80::', 10, 'ipv6')
/** Metadata services of clouds outside of link-local networks: Alibaba, Azure, Oracle; AWS and Google over IPv6. */
const metadata = ['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'] as const
for (const address of metadata) unsafe.addAddress(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** Parses networks that are allowed, such as `169.254.7.0/24`. Throws `Rejected` for an invalid one. */
export function readNetworks(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const parsed = parseNetwork(network)
    if (parsed === undefined)
      throw new Rejected(`allow.networks: ${quoted(network)} is not a network.`, {
        code: 'source/bad-network',
        hint: 'Write an address and a prefix length, for example 10.1.0.0/16.',
      })
    list.addSubnet(parsed.address, parsed.bits, parsed.family)
  }
  return list
}

/**
 * True for an address that gitmoor never connects to: 169.254.0.0/16, fe80::/10, cloud metadata, and addresses that
 * embed one of these. `address`: IPv4 or IPv6, without brackets; a zone is ignored.
 */
export function isForbidden(address: string, allowed: BlockList): boolean {
  return leadsTo(unsafe, address, allowed)
}

/** Also checks IPv4 addresses embedded in IPv6. */
function leadsTo(list: BlockList, address: string, allowed: BlockList): boolean {
  const bare = address.replace(/%.*$/, '')
  switch (isIP(bare)) {
    case 4:
      return list.check(bare, 'ipv4') && !allowed.check(bare, 'ipv4')
    case 6:
      return (
        (list.check(bare, 'ipv6') || embeddedIpv4(bare).some((one) => list.check(one, 'ipv4'))) &&
        !allowed.check(bare, 'ipv6')
      )
    default:
      return false
  }
}

/** The host of a URL; IPv6 without brackets. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

export function forbiddenAddress(host: string): Rejected {
  return new Rejected(`${host} is a link-local or cloud metadata address; gitmoor does not connect to it.`, {
    code: 'source/address-refused',
    hint:
      'The metadata of a machine contains its credentials. ' +
      'If the address really serves a repository, add its network to allow.networks.',
  })
}

/** Addresses that are reachable only from this network. A URL from a client must not lead there. */
const privateNetworks = new BlockList()
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['168.63.129.16', 32],
] as const)
  privateNetworks.addSubnet(address, bits, 'ipv4')
// The target of the last three depends on a nearby translator or tunnel.
for (const [address, bits] of [
  ['::', 128],
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  ['::ffff:0:0:0', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
] as const)
  privateNetworks.addSubnet(address, bits, 'ipv6')

/**
 * True for an address that a redirect must not lead to: loopback, private, link-local, unspecified, shared (RFC 6598),
 * multicast, reserved, addresses that embed one of these, local NAT64 (RFC 8215), Teredo and translated IPv4.
 */
export function isPrivate(address: string, allowed: BlockList): boolean {
  return leadsTo(privateNetworks, address, allowed)
}

function privateAddress(host: string): Rejected {
  return new Rejected(`${host} is an address of a private network, which a redirect must not lead to.`, {
    code: 'source/address-refused',
    hint: 'Use the final address of the file. If this redirect is correct, add its network to allow.networks.',
  })
}

/**
 * A policy: which addresses are refused, and the error. `unknownHost`: the error that is also used for every unknown
 * host.
 */
export interface AddressPolicy {
  readonly refuses: (address: string, allowed: BlockList) => boolean
  readonly refusal: (host: string) => Rejected
  readonly unknownHost?: (host: string) => Rejected
}

/** For addresses in the configuration. */
export const noLinkLocal: AddressPolicy = { refuses: isForbidden, refusal: forbiddenAddress }
/** For addresses from other parties, such as redirects. */
export const noPrivate: AddressPolicy = { refuses: isPrivate, refusal: privateAddress }
/** For clients that must not learn which internal hosts exist: all of them get the same answer. */
export const hidePrivate: AddressPolicy = { refuses: isPrivate, refusal: noSuchHost, unknownHost: noSuchHost }

export function noSuchHost(host: string): Rejected {
  return new Rejected(`${showText(host)}: no such host.`, {
    code: 'source/no-such-host',
    hint: 'Check the address. Hosts of private networks must be listed in allow.networks.',
  })
}

/** Resolves a host name to all its addresses. */
export type ResolveHost = (
  host: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void

/**
 * A resolver for sockets that omits refused addresses. The socket connects to the checked address: there is no second
 * lookup.
 */
export function guardedLookup(
  allowed: BlockList,
  lookUp: ResolveHost = systemLookUp,
  { refuses, refusal, unknownHost }: AddressPolicy = noLinkLocal,
): LookupFunction {
  return (host, options, done) => {
    lookUp(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done((error.code === 'ENOTFOUND' && unknownHost?.(host)) || error, [])
      const addresses = found.filter((one) => !refuses(one.address, allowed))
      const [first] = addresses
      if (first === undefined) return done(refusal(host), [])
      if (options.all === true) return done(null, addresses)
      done(null, first.address, first.family)
    })
  }
}
