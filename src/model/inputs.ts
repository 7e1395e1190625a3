import type { EnvValues } from './document.js'
import type { Secret } from './json.js'

/** A given value for an envRef or a parameter: booleans and numbers are used as text. */
export type GivenValue = string | number | boolean

/** Resources to leave unchanged, with their ownership: all of a family, or the one of that metaName. */
export interface Skip {
  readonly family: string
  readonly metaName?: string
}

/** What the person who applies a package supplies beside its files. */
export interface Inputs {
  readonly values: EnvValues
  /** By key of the target's secret store. */
  readonly secrets: ReadonlyMap<string, Secret>
  readonly skips: readonly Skip[]
  /** True: a package that declares nothing removes everything. */
  readonly allowEmpty: boolean
}
