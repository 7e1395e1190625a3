// A target of a platform that keeps no stacks itself.
import { expect, test } from 'vitest'
import { bucket, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

test('an import of a stack of the target is refused, with what to do', async () => {
  await world().push(yaml(bucket('raw')))
  const request = { stackID: 'f00d', spec: world().spec('boards') }
  const refused = {
    status: 'not-found',
    code: 'stacks/foreign-unknown',
    message: 'Target local keeps no stacks of its own.',
    hint: 'To take over what the package declares, leave out the id. See what exists: gitmoor stack discover --target local',
  }
  expect(await refusal(world().ask.importStack(request, 'ann', never))).toMatchObject(refused)
  expect(await refusal(world().ask.previewImport(request, never))).toMatchObject(refused)
  expect((await world().ask.listStacks({})).items).toEqual([])
})

test('it lists none', async () => {
  expect((await world().ask.listUnmanaged('local', never)).stacks).toEqual([])
})
