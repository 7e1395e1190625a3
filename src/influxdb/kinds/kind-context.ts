import { Secret } from '../../model/json.js'
import { noFlux, type FluxPort } from './flux/flux.js'

/** What kinds need from outside; they are pure themselves. */
export interface KindContext {
  /** Wraps a value so it is never printed, with its keyed fingerprint. */
  readonly conceal: (value: string) => Secret
  readonly flux: FluxPort
}

/** No parser, and fingerprints that are all equal. */
export const noContext: KindContext = { conceal: (value) => new Secret(value, ''), flux: noFlux }
