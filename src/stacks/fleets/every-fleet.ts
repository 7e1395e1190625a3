import type { Fleet } from '../../model/stacks/fleet.js'
import type { Store } from '../../store/store.js'

const page = 500

/** All fleets, by name. */
export async function* everyFleet({ fleets }: Pick<Store, 'fleets'>): AsyncGenerator<Fleet> {
  for (let after = ''; ;) {
    const found = await fleets.list({ limit: page, after })
    yield* found
    if (found.length < page) return
    after = found.at(-1)!.spec.name
  }
}
