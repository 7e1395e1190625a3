import { LRUCache } from 'lru-cache'
import { asDefault, literalOf } from './flux-literals.js'
import { readOption, withValues } from './flux-options.js'
import { setsOption } from './flux-words.js'
import { FluxError, type FluxPort } from './flux.js'

const most = { maxSize: 4 * 1024 * 1024, sizeCalculation: (one: string, other: string) => one.length + other.length + 1 }

/**
 * One text for queries that mean the same, as far as that is cheap (packages 5.2): blanks around it are of no account, all else stays byte for byte. Where
 * the query sets `option params` it is printed, its durations in the spelling of defaults, so that what was filled in compares equal when it is exported as a plain query.
 */
export function canonicalFlux(flux: FluxPort): (query: string) => string {
  const known = new LRUCache<string, string>(most)
  return (text) => {
    const query = text.trim()
    if (!setsOption(query, 'params')) return query
    const printed = known.get(query) ?? printOf(query, flux)
    if (printed === undefined) return query
    known.set(query, printed)
    return printed
  }
}

/** undefined: it cannot be read, which may be so for a while only. */
function printOf(query: string, flux: FluxPort): string | undefined {
  try {
    const tree = flux.parse(query)
    const literals = (readOption(tree, 'params') ?? []).flatMap(({ key, value }) => {
      const literal = literalOf(value)
      return literal === undefined ? [] : [[key, asDefault(literal).expression] as const]
    })
    return flux.print(withValues(tree, 'params', new Map(literals))).trim()
  } catch (error) {
    if (error instanceof FluxError) return undefined
    throw error
  }
}
