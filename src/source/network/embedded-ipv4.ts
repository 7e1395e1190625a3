/**
 * The IPv4 addresses that are embedded in an IPv6 address, to which it may lead: mapped, compatible (RFC 4291),
 * translated (RFC 7915), NAT64 (RFC 6052; RFC 8215 for local prefixes of any length), 6to4 (RFC 3056), Teredo (RFC
 * 4380: its server and its client).
 */
export function embeddedIpv4(address: string): readonly string[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = addressGroups(address)
  const head = [a, b, c, d, e, f].map((group) => group.toString(16)).join(':')
  if (a === 0x2002) return [ipv4(b, c)]
  if (a === 0x2001 && b === 0) return [ipv4(c, d), ipv4(~g, ~h)]
  if (a === 0x64 && b === 0xff9b && c === 1)
    return [
      ipv4(d, (e << 8) | (f >> 8)),
      ipv4((d << 8) | (e & 0xff), f),
      ipv4((e << 8) | (f >> 8), (f << 8) | (g >> 8)),
      ipv4(g, h),
    ]
  return lastGroups.has(head) ? [ipv4(g, h)] : []
}

/** Prefixes before an IPv4 address at the end. */
const lastGroups: ReadonlySet<string> = new Set(['0:0:0:0:0:0', '0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0'])

/** The eight groups of an address. */
function addressGroups(address: string): readonly number[] {
  const hex = new URL(`http://[${address}]/`).hostname.slice(1, -1) // an IPv4 address at the end is two groups there
  const [head = [], tail = []] = hex.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
}

/** An IPv4 address from the lower 16 bits of two groups. */
function ipv4(high: number, low: number): string {
  return [high >> 8, high, low >> 8, low].map((byte) => byte & 0xff).join('.')
}
