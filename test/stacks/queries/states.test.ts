import { expect, test } from 'vitest'
import type { StackListing } from '../../../src/stacks/paging.js'
import { label } from '../../e2e/packages.js'
import { useWorld } from '../../e2e/world.js'

const world = useWorld()

async function names(listing: StackListing): Promise<readonly string[]> {
  return (await world().ask.listStacks(listing)).items.map(({ name }) => name)
}

test('lists the stacks in one of several states, page by page', async () => {
  await world().push(label('red'))
  for (const name of ['a', 'b', 'c', 'd', 'e']) await world().create(name)
  for (const name of ['b', 'd']) await world().ask.suspendStack(name, 'repair', undefined, 'ann')
  expect(await names({ states: ['Suspended'] })).toEqual(['b', 'd'])
  expect(await names({ states: ['Synced'], sort: '-createdAt' })).toHaveLength(3)
  expect(await names({ states: ['Suspended', 'Synced'] })).toHaveLength(5)
  expect(await names({ states: ['Failed'] })).toEqual([])
  const first = await world().ask.listStacks({ states: ['Synced'], limit: 2 })
  expect(first.items.map(({ name }) => name)).toEqual(['a', 'c'])
  expect(await names({ states: ['Synced'], limit: 2, after: first.next! })).toEqual(['e'])
})
