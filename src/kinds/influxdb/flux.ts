// The port to a parser of Flux: kinds are pure, so they are handed one. Trees are asked for only where a query declares options.
import type { JsonObject } from '../../model/json.js'

export interface FluxPort {
  /** What a text is, as far as its syntax says; undefined: it cannot be read, for its size or for a while. Never throws. */
  inspect(text: string): FluxFacts | undefined
  /** The file as a tree, in the Flux team's own form. Errors: `FluxError` where the text is no Flux, is too long, or too deep. */
  parse(query: string): JsonObject
  /** The tree in canonical format. Errors: `FluxError`. */
  print(tree: JsonObject): string
}

export interface FluxFacts {
  /** Why it is no Flux. */
  readonly wrong?: string
  /** How often it compares `_field` with a text. */
  readonly fields: number
  /** A text in it has code between `${` and `}`. */
  readonly interpolates: boolean
}

/** `message`: what is wrong, for the author of the query. */
export class FluxError extends Error {}

/** Where no parser is at hand. */
export const noFlux: FluxPort = {
  inspect: () => undefined,
  parse: () => {
    throw new FluxError('nothing here reads Flux')
  },
  print: () => {
    throw new FluxError('nothing here prints Flux')
  },
}
