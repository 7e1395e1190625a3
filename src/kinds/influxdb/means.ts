import { Secret } from '../../model/json.js'
import { noFlux, type FluxPort } from './flux.js'

/** What kinds are handed, being pure themselves. */
export interface Means {
  /** The value as what cannot be printed, with its keyed fingerprint. */
  readonly conceal: (value: string) => Secret
  readonly flux: FluxPort
}

/** No parser, and fingerprints that tell nothing apart. */
export const noMeans: Means = { conceal: (value) => new Secret(value, ''), flux: noFlux }
