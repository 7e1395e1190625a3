import { LRUCache } from 'lru-cache'
import { asDefault, readLiteral } from './flux-literals.js'
import { readOption, withValues } from './flux-options.js'
import { setsOption } from './flux-words.js'
import { FluxError, type FluxPort } from './flux.js'

const most = {
  maxSize: 4 * 1024 * 1024,
  sizeCalculation: (one: string, other: string) => one.length + other.length + 1,
}

/**
 * The same text for queries that are cheaply known to be equal: surrounding blanks do not count. A query that sets
 * `option params` is printed, its durations spelled like defaults, so a query with parameters filled in compares equal
 * to its export as a plain query. Every other query keeps its bytes.
 */
export function canonicalFlux(flux: FluxPort): (query: string) => string {
  const known = new LRUCache<string, string>(most)
  return (text) => {
    const query = text.trim()
    if (!setsOption(query, 'params')) return query
    const printed = known.get(query) ?? printCanonical(query, flux)
    if (printed === undefined) return query
    known.set(query, printed)
    return printed
  }
}

/** undefined: the query cannot be read, perhaps only for now. */
function printCanonical(query: string, flux: FluxPort): string | undefined {
  try {
    const tree = flux.parse(query)
    const literals = (readOption(tree, 'params') ?? []).flatMap(({ key, value }) => {
      const literal = readLiteral(value)
      return literal === undefined ? [] : [[key, asDefault(literal).expression] as const]
    })
    return flux.print(withValues(tree, 'params', new Map(literals))).trim()
  } catch (error) {
    if (error instanceof FluxError) return undefined
    throw error
  }
}
