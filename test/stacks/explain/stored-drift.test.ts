// What the last drift check found, without a source or a target.
import { describe, expect, test } from 'vitest'
import { Unavailable } from '../../../src/model/errors.js'
import type { DriftView } from '../../../src/views/explanation.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { answering } from '../../memory-git.js'

const world = useWorld()
const boards = yaml(label('red'), bucket('raw', { description: 'as declared' }))

async function drift(): Promise<DriftView> {
  return world().ask.getDrift('boards')
}

/** A stack that reports drift, whose check found a changed and a missing resource. */
async function drifted(): Promise<void> {
  await world().push(boards)
  await world().create('boards', { drift: 'report' })
  await world().ask.editResource('Bucket/raw', { description: 'by hand' }, { stack: 'boards' }, never)
  await world().ask.deleteResource('Label/red', { stack: 'boards' }, never)
  world().clock.advance(330_000)
  await until('it was checked', async () => (await drift()).resources.length === 2)
}

describe('the stored drift', () => {
  test('has the fields of changed resources and the missing ones, and reads neither source nor target', async () => {
    await drifted()
    world().server.intercept(answering(503))
    world().platform.onCall(() => {
      throw new Unavailable('The target is down.', { code: 'platform/unreachable' })
    })
    const found = await drift()
    expect(found.resources).toHaveLength(2)
    expect(found.resources).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          address: 'Bucket/raw',
          difference: 'changed',
          fields: [{ path: 'description', applied: 'as declared', actual: 'by hand' }],
        }),
        expect.objectContaining({ address: 'Label/red', difference: 'missing', fields: [] }),
      ]),
    )
    expect(found).toMatchObject({ total: 2, shared: [], since: found.checkedAt })
    const { items } = await world().ask.listStackResources('boards', {})
    expect(items.map((one) => one.drift)).toEqual([true, true])
  })

  test('is empty once a run corrected it', async () => {
    await drifted()
    await world().sync('boards')
    expect(await drift()).toMatchObject({ total: 0, since: null, resources: [] })
    const { items } = await world().ask.listStackResources('boards', {})
    expect(items.map((one) => one.drift)).toEqual([false, false])
  })

  test('is deleted with its stack', async () => {
    await drifted()
    const { id } = (await world().store.stacks.get('boards'))!
    expect(await world().store.stacks.drift(id)).toBeDefined()
    await world().store.stacks.delete(id)
    expect(await world().store.stacks.drift(id)).toBeUndefined()
  })

  test('of an unknown stack is refused', async () => {
    expect(await refusal(world().ask.getDrift('none'))).toMatchObject({ code: 'stacks/unknown' })
  })
})
