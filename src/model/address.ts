// Names of a resource: `Address` in its stack, `Identity` on its target.

/**
 * `Family/metaName`: 'Bucket/raw', 'File//etc/motd'. The first slash ends the family.
 * A part has its own family, then its parent's address, then its name: 'LabelMapping/Bucket/raw/red'.
 */
export type Address = string & { readonly brand: 'address' }

/** The id of a resource on its target: 16 hex digits, a path, or namespace/name. A recreated one may get a new id. */
export type Identity = string & { readonly brand: 'identity' }

export function addressOf(family: string, name: string): Address {
  return `${family}/${name}` as Address
}

/** `pattern`: an address, or `Family/*` for the resources of a family. */
export function addressMatches(pattern: string, address: Address): boolean {
  return pattern.endsWith('/*') ? address.startsWith(pattern.slice(0, -1)) : pattern === address
}

export function familyOf(address: Address): string {
  return address.slice(0, address.indexOf('/'))
}

export function nameOf(address: Address): string {
  return address.slice(address.indexOf('/') + 1)
}
