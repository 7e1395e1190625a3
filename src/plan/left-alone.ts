import type { Address } from '../model/address.js'
import type { Plan } from '../model/change.js'

type Fields = { readonly address: Address; readonly path: string }[]

/** Of each sort a plan names so many. */
const most = 100

/** What differs and is not this plan's to change: what the stack ignores, and what the owner of a shared thing puts right. */
export class LeftAlone {
  readonly #ignored: Fields = []
  readonly #sharedDrift: Fields = []

  ignore(address: Address, paths: readonly string[]): void {
    add(this.#ignored, address, paths)
  }

  /** No path: the thing is gone. */
  share(address: Address, paths: readonly string[]): void {
    add(this.#sharedDrift, address, paths.length === 0 ? [''] : paths)
  }

  get fields(): Required<Pick<Plan, 'ignored' | 'sharedDrift'>> {
    return { ignored: this.#ignored, sharedDrift: this.#sharedDrift }
  }
}

function add(to: Fields, address: Address, paths: readonly string[]): void {
  for (const path of paths) if (to.length < most) to.push({ address, path })
}
