// What changed settings would do, before they are stored.
import { describe, expect, test } from 'vitest'
import { declareStacks } from '../../../src/stacks/changes/declare-stacks.js'
import { label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

describe('a preview of changed settings', () => {
  test('has the changes and the plan, and stores nothing', async () => {
    await world().push(label('red'), 'stable')
    await world().push(yaml(label('red'), label('blue')), 'beta')
    await world().create('boards', { ref: 'stable' })
    const before = await world().ask.getStack('boards')
    const preview = await world().ask.previewUpdate('boards', { source: { ref: 'beta' } })
    expect(preview.changes).toMatchObject([{ path: 'sources[0].ref', old: 'stable', new: 'beta' }])
    expect(preview.plan).toMatchObject({ counts: { create: 1, unchanged: 1 } })
    expect(await world().ask.getStack('boards')).toEqual(before)
    expect((await world().ask.listRuns('boards', {})).items).toHaveLength(1)
  })

  test('says why there is no plan, and refuses what a change refuses', async () => {
    await world().push(label('red'))
    await world().create('boards')
    const { error, plan } = await world().ask.previewUpdate('boards', { source: { ref: 'nope' } })
    expect([error?.code, plan]).toEqual(['source/ref-missing', undefined])
    const unknown = world().ask.previewUpdate('boards', { dependsOn: ['nobody'] })
    expect(await refusal(unknown)).toMatchObject({ code: 'stacks/dependency-unknown' })
  })

  test('is given for a stack that the configuration file declares, which only the file changes', async () => {
    await world().push(label('red'), 'stable')
    await world().push(yaml(label('red'), label('blue')), 'beta')
    const { agent } = world()
    await declareStacks([world().spec('boards', { ref: 'stable' })], { sync: agent.sync, scheduler: agent })
    await world().lastRun('boards')
    const change = { source: { ref: 'beta' } }
    expect((await world().ask.previewUpdate('boards', change)).plan).toMatchObject({ counts: { create: 1 } })
    expect(await refusal(world().ask.updateStack('boards', change, 'ann'))).toMatchObject({
      code: 'stacks/managed-by-file',
    })
    const { revision, digest } = await world().ask.previewPlan('boards', { ref: 'beta' }, never)
    const apply = world().ask.applyPlan({ stack: 'boards', revision, digest }, 'ann', never)
    expect((await refusal(apply)).hint).toMatch(/^Follow it: `ref: beta` of boards in /)
  })

  test('has the correction of drift that is only reported so far', async () => {
    await world().push(label('red', { color: '#ff0000' }))
    await world().create('boards', { drift: 'report' })
    await world().ask.editResource('Label/red', { color: '#000000' }, {}, never)
    world().clock.advance(400_000)
    await until('the drift is known', async () => (await world().ask.getStack('boards')).sync === 'Drifted')
    const { plan } = await world().ask.previewUpdate('boards', { drift: 'correct' })
    expect(plan?.changes).toMatchObject([{ address: 'Label/red', action: 'update' }])
    expect((await world().ask.previewUpdate('boards', { drift: 'ignore' })).plan).toBeUndefined()
  })
})

test('a wait of no time ends well if the stack is synced', async () => {
  await world().push(label('red'))
  await world().create('boards')
  expect(await world().ask.waitForStack('boards', { timeoutMs: 0 }, never)).toMatchObject({ sync: 'Synced' })
})
