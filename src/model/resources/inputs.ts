import type { EnvValues } from './document.js'
import type { Secret } from '../json.js'

/** A given value for an envRef or a parameter: booleans and numbers are used as text. */
export type GivenValue = string | number | boolean

/** `allow.secrets` of the configuration file: what references of stacks that the API manages may name. */
export interface AllowedSecrets {
  /** Names of variables. */
  readonly environment: readonly string[]
  /** Absolute paths of files, and of directories with files. */
  readonly files: readonly string[]
  /** Nothing below it may be read. */
  readonly dataDirectory: string
}

/** Why an input cannot be read, and what to do: both are sentences, `fix` without its full stop. */
export interface UnreadableCause {
  /** `The environment variable SLACK is not set.` */
  readonly why: string
  readonly fix: string
}

/** A secret or a value that the settings of a stack refer to, and that cannot be read now. */
export interface UnreadableInput extends UnreadableCause {
  readonly kind: 'secret' | 'value'
  readonly key: string
}

/** Resources to leave unchanged, with their ownership: all of a family, or the one of that metaName. */
export interface Skip {
  readonly family: string
  readonly metaName?: string
}

/** What the person who applies a package gives beside its files. */
export interface Inputs {
  readonly values: EnvValues
  /** By key of the target's secret store. */
  readonly secrets: ReadonlyMap<string, Secret>
  readonly skips: readonly Skip[]
  /** True: a package that declares nothing removes everything. */
  readonly allowEmpty: boolean
}
