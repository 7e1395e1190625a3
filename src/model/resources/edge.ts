import type { Address } from '../address.js'

/** Why a resource comes after another one. */
export interface Edge {
  readonly to: Address
  /** `reference`: it names it; `declared`: `needs` of its document lists it. */
  readonly why: 'reference' | 'declared'
  /** For people: the field that says so, such as `spec.room` or `needs[0]`. */
  readonly text: string
}

/** What a resource comes after, each address once. */
export function edgeTargets(edges: readonly Edge[]): readonly Address[] {
  return edges.map(({ to }) => to)
}
