// Drift checks of a stack whose plan needs approval.
import { describe, expect, test } from 'vitest'
import type { RunView } from '../../../src/views/run.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()
const applied = yaml(label('l1'), label('l2'), label('l3'), bucket('raw', { description: 'as declared' }))
/** Removes two of three labels, which needs approval. */
const awaited = yaml(label('l1'), bucket('raw', { description: 'new' }))

/** The run whose plan needs approval. */
async function awaitApproval(changed: Parameters<ReturnType<typeof world>['spec']>[1] = {}): Promise<RunView> {
  await world().push(applied)
  await world().create('boards', { maxDeletes: 1, ...changed })
  await world().push(awaited)
  const run = await world().sync('boards')
  expect(run.outcome).toBe('needs-approval')
  return run
}

/** As another client of the target does: the agent does not learn of it. */
async function damage(description = 'by hand'): Promise<void> {
  const { id, checkedAt } = (await world().store.stacks.get('boards'))!
  await world().ask.editResource('Bucket/raw', { description }, { stack: 'boards' }, never)
  await world().store.stacks.change(id, { checkedAt })
}

async function description(): Promise<unknown> {
  return (await world().live())['Bucket/raw']!.live['description']
}

async function checked(): Promise<void> {
  const { checkedAt } = await world().ask.getStack('boards')
  world().clock.advance(330_000)
  await until('it was checked', async () => (await world().ask.getStack('boards')).checkedAt !== checkedAt)
  await world().agent.runs.exclusively((await world().ask.getStack('boards')).id, never, async () => {})
}

/** The plan that needs approval after a run corrected drift. */
async function approvalAfterCorrection(): Promise<RunView> {
  const correction = await until('drift was corrected', async () =>
    (await world().ask.listRuns('boards', { limit: 5 })).items.find(({ cause }) => cause.kind === 'drift'),
  )
  const { outcome, changes } = await world().ended('boards', correction.id)
  expect([outcome, changes!.create + changes!.update, changes!.remove]).toEqual(['applied', 1, 0])
  const last = await world().runAfter('boards', correction.id)
  expect(last).toMatchObject({ outcome: 'needs-approval', cause: { kind: 'retry' } })
  return last
}

describe('while a plan needs approval', () => {
  test('checks without drift go on, write nothing and keep the plan', async () => {
    const awaiting = await awaitApproval()
    await checked()
    await checked()
    expect((await world().lastRun('boards')).id).toBe(awaiting.id)
    expect((await world().ask.getStack('boards')).status.state).toBe('Needs approval')
  })

  test('drift is corrected to the applied revision, and the same plan still needs approval', async () => {
    const awaiting = await awaitApproval()
    await damage()
    world().clock.advance(330_000)
    const last = await approvalAfterCorrection()
    expect(last.plan!.digest).toBe(awaiting.plan!.digest)
    expect(await description()).toBe('as declared')
    expect((await world().store.stacks.get('boards'))!.drifted).toBe(0)
    await world().ask.approvePlan('boards', awaiting.plan!.digest, 'ann', never)
    expect(await description()).toBe('new')
    expect((await world().ask.getStack('boards')).status.state).toBe('Synced')
  })

  test('a resource that somebody deletes is made again, and the plan has its new id', async () => {
    const awaiting = await awaitApproval()
    const before = await world().ids('boards')
    await world().ask.deleteResource('Label/l2', { stack: 'boards' }, never)
    world().clock.advance(330_000)
    const last = await approvalAfterCorrection()
    const after = await world().ids('boards')
    expect(after['Label/l2']).not.toBe(before['Label/l2'])
    expect(last.plan!.changes.find(({ address }) => address === 'Label/l2')).toMatchObject({
      action: 'remove',
      identity: after['Label/l2'],
    })
    expect(last.plan!.digest).not.toBe(awaiting.plan!.digest)
  })

  test('drift is reported with drift: report, and a plan that it makes stale is made again', async () => {
    const awaiting = await awaitApproval({ drift: 'report' })
    await damage()
    world().clock.advance(330_000)
    const again = await world().runAfter('boards', awaiting.id)
    expect(again).toMatchObject({ outcome: 'needs-approval', cause: { kind: 'retry' } })
    expect(again.cause.note).toBe('the target changed since the plan that needs approval was made')
    expect(again.plan!.changes.find(({ address }) => address === 'Bucket/raw')!.fields).toMatchObject([
      { path: 'description', old: 'by hand', new: 'new' },
    ])
    expect(await description()).toBe('by hand')
    const { status, blockers } = await world().ask.explainStack('boards')
    expect([status.state, blockers.map(({ reason }) => reason)]).toEqual([
      'Needs approval',
      ['NeedsApproval', 'Drifted'],
    ])
    await checked()
    expect((await world().lastRun('boards')).id).toBe(again.id)
  })

  test('a plan is made again when somebody makes what it would create', async () => {
    await world().push(applied)
    await world().create('boards', { maxDeletes: 1 })
    await world().push(yaml(label('l1'), label('made'), bucket('raw', { description: 'as declared' })))
    const awaiting = await world().sync('boards')
    await world().ask.createResource('Label', { name: 'made' }, {}, never)
    world().clock.advance(330_000)
    const again = await world().runAfter('boards', awaiting.id)
    expect(again).toMatchObject({ outcome: 'needs-approval', cause: { kind: 'retry' } })
    expect(again.plan!.changes.find(({ address }) => address === 'Label/made')).toMatchObject({ adopts: true })
  })

  test('drift whose correction loses data is in the plan, and nothing repeats', async () => {
    const kept = yaml(bucket('raw', { every: 3_600 }))
    await world().push(kept)
    const first = await world().create('boards', { dataLoss: 'refuse' })
    const longer = { retentionRules: [{ type: 'expire', everySeconds: 7_200 }] }
    await world().ask.editResource('Bucket/raw', longer, { stack: 'boards' }, never)
    world().clock.advance(330_000)
    const awaiting = await world().runAfter('boards', first.id)
    expect(awaiting).toMatchObject({ outcome: 'needs-approval', cause: { kind: 'drift' } })
    await checked()
    expect((await world().lastRun('boards')).id).toBe(awaiting.id)
    const declared = { retentionRules: [{ type: 'expire', everySeconds: 3_600 }] }
    await world().ask.editResource('Bucket/raw', declared, { stack: 'boards', consent: 'Bucket/raw' }, never)
    world().clock.advance(330_000)
    expect((await world().runAfter('boards', awaiting.id)).outcome).toBe('unchanged')
    expect((await world().ask.getStack('boards')).status.state).toBe('Synced')
  })

  test('an uninstall that needs approval is not replaced; drift is only reported', async () => {
    await world().push(applied)
    await world().create('boards', { protect: ['Label/l1'] })
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await refusal(world().ask.uninstallStack('boards', { digest, by: 'ann' }, never))
    const awaiting = await world().lastRun('boards')
    expect(awaiting).toMatchObject({ intent: 'uninstall', outcome: 'needs-approval' })
    await damage()
    await checked()
    expect((await world().lastRun('boards')).id).toBe(awaiting.id)
    expect((await world().store.stacks.get('boards'))!.drifted).toBe(1)
  })
})
