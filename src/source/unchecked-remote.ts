import type { SourceSpec } from '../model/sources/source-spec.js'
import { normaliseAddress } from '../settings/source-address.js'

/** The remote of a source, also of one that is not allowed. undefined: it has no local copy. */
export function uncheckedRemote(source: SourceSpec): string | undefined {
  if (source.kind !== 'git' && source.kind !== 'url') return undefined
  try {
    const address = normaliseAddress(source.url)
    return source.kind === 'git' ? address : `url:${address}`
  } catch {
    return undefined // not an address: nothing was fetched from it
  }
}
