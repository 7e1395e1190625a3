// The port to a parser of Flux, passed to kinds because they are pure. Only queries that declare options need a tree.
import type { JsonObject } from '../../../model/json.js'

export interface FluxPort {
  /** The facts of a text's syntax; undefined: there is no parser. Throws nothing but `Pending`. */
  inspect(text: string): FluxFacts | undefined
  /** The syntax tree, in the Flux team's form. Errors: `FluxError` if the text is not Flux, too long or too deep. */
  parse(query: string): JsonObject
  /** The tree in canonical format. Errors: `FluxError`. */
  print(tree: JsonObject): string
}

export interface FluxFacts {
  /** Why the text is not Flux. */
  readonly wrong?: string
  /** Why the text was not checked: it is too large, or parsing it takes too long. */
  readonly notChecked?: string
  /** The number of comparisons of `_field` with a text. */
  readonly fields: number
  /** True if a text has code between `${` and `}`. */
  readonly interpolates: boolean
}

/** `message`: the problem, for the author of the query. */
export class FluxError extends Error {}

/** Used if no parser is available. */
export const noFlux: FluxPort = {
  inspect: () => undefined,
  parse: () => {
    throw new FluxError('there is no Flux parser here')
  },
  print: () => {
    throw new FluxError('there is no Flux printer here')
  },
}
