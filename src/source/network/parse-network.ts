import { isIP } from 'node:net'

/** An IPv4 or IPv6 network. */
export interface Network {
  readonly address: string
  /** The length of its prefix. */
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

/** The network of `10.1.0.0/16` or `fd00::/8`; undefined: invalid. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  const version = isIP(address)
  if (version === 0 || Number(bits) > (version === 4 ? 32 : 128)) return undefined
  return { address, bits: Number(bits), family: version === 4 ? 'ipv4' : 'ipv6' }
}
