import type { EnvValues } from './document.js'
import type { Secret } from './json.js'

/** A value for an envRef or a parameter, as it is given: booleans and numbers stand for their text. */
export type GivenValue = string | number | boolean

/** Resources to leave unchanged, with their ownership: all of a family, or the one of that metaName. */
export interface Skip {
  readonly family: string
  readonly metaName?: string
}

/** What goes with a package beside its files, from whoever applies it. */
export interface Supplied {
  readonly values: EnvValues
  /** By key of the target's secret store. */
  readonly secrets: ReadonlyMap<string, Secret>
  readonly skips: readonly Skip[]
  /** True: a package that declares nothing removes everything. */
  readonly allowEmpty: boolean
}
