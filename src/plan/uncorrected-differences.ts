import type { Address } from '../model/address.js'
import type { Plan } from '../model/resources/change.js'

type Fields = { readonly address: Address; readonly path: string }[]

/** At most so many entries of each kind are listed. */
const most = 100

/** Differences that this plan does not correct: ignored fields, and shared resources, which their owner corrects. */
export class UncorrectedDifferences {
  readonly #ignored: Fields = []
  readonly #sharedDrift: Fields = []

  addIgnored(address: Address, paths: readonly string[]): void {
    add(this.#ignored, address, paths)
  }

  /** No path: the resource is missing. */
  addSharedDrift(address: Address, paths: readonly string[]): void {
    add(this.#sharedDrift, address, paths.length === 0 ? [''] : paths)
  }

  get fields(): Required<Pick<Plan, 'ignored' | 'sharedDrift'>> {
    return { ignored: this.#ignored, sharedDrift: this.#sharedDrift }
  }
}

function add(to: Fields, address: Address, paths: readonly string[]): void {
  for (const path of paths) if (to.length < most) to.push({ address, path })
}
