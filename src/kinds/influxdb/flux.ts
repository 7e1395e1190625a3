// The port to a parser of Flux: kinds are pure, so they are handed one. It is asked only where a query declares options.
import type { JsonObject } from '../../model/json.js'

export interface FluxPort {
  /** The file as a tree, in the Flux team's own form. Errors: `FluxError` where the text is no Flux, is too long, or too deep. */
  parse(query: string): JsonObject
  /** The tree in canonical format. Errors: `FluxError`. */
  print(tree: JsonObject): string
}

/** `message`: what is wrong, for the author of the query. */
export class FluxError extends Error {}

/** Where no parser is at hand. */
export const noFlux: FluxPort = {
  parse: () => {
    throw new FluxError('nothing here reads Flux')
  },
  print: () => {
    throw new FluxError('nothing here prints Flux')
  },
}
