import type { Stack } from '../model/stack.js'
import type { Store } from '../store/store.js'

const page = 500

/** All stacks, by name. */
export async function* everyStack(store: Pick<Store, 'stacks'>): AsyncGenerator<Stack> {
  for await (const stacks of pagesOfStacks(store)) yield* stacks
}

/** All stacks, by name, in pages of 500. */
export async function* pagesOfStacks(store: Pick<Store, 'stacks'>): AsyncGenerator<readonly Stack[]> {
  for (let after = ''; ;) {
    const stacks = await store.stacks.list({ limit: page, after })
    yield stacks
    if (stacks.length < page) return
    after = stacks.at(-1)!.spec.name
  }
}
