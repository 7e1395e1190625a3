// What is said is so: of waiting, of runs that were cut short, of plans carried out twice, of resources that others
// own.
import { describe, expect, test } from 'vitest'
import { Rejected } from '../../../src/model/errors.js'
import { readMetrics, type MetricsSnapshot } from '../../../src/stacks/status/metrics.js'
import { readStatusInput } from '../../../src/stacks/status/status-input.js'
import { isSynced } from '../../../src/status/status.js'
import { waitRefusal } from '../../../src/status/wait-refusal.js'
import { bucket, label, task, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()
/** A bucket whose name is the value `bname`. */
const namedByValue = `apiVersion: plain/v1
kind: Bucket
metadata:
  name:
    envRef:
      key: bname
      default: raw
spec: {}
`
const metrics = (): Promise<MetricsSnapshot> => world().call(readMetrics)
const wait = (name: string, revision?: string): Promise<unknown> =>
  world().ask.waitForStack(name, { timeoutMs: 60_000, ...(revision === undefined ? {} : { revision }) }, never)

describe('waiting for what does not come ends at once', () => {
  test('for a plan that needs approval, with the command that applies it', async () => {
    await world().push(label('aa'))
    const run = await world().create('boards', { apply: 'approval' })
    expect(await refusal(wait('boards'))).toMatchObject({
      status: 'needs-approval',
      message: expect.stringContaining('approval') as string,
      hint: expect.stringContaining(`gitmoor approve boards ${run.plan!.digest.slice(0, 12)}`) as string,
    })
  })

  test('for a plan of changed settings that needs approval, and every view says the same', async () => {
    await world().push(yaml(label('aa'), namedByValue))
    await world().create('boards')
    await world().ask.updateStack('boards', { setValues: { bname: 'other' } }, 'ann')
    const refused = await refusal(wait('boards'))
    const { id } = await world().lastRun('boards')
    const { plan } = await world().ask.getRun('boards', id)
    const approve = `gitmoor approve boards ${plan!.digest.slice(0, 12)}`
    expect(refused).toMatchObject({ status: 'needs-approval', code: 'stacks/needs-approval' })
    expect(refused.hint).toContain(approve)
    const status = { state: 'Needs approval', reason: 'NeedsApproval' }
    expect((await world().ask.listStacks({ sync: 'OutOfSync' })).items).toMatchObject([{ status, sync: 'OutOfSync' }])
    const stack = await world().ask.getStack('boards')
    expect(stack).toMatchObject({ status, sync: 'OutOfSync' })
    expect(world().condition(stack).reason).toBe('NeedsApproval')
    expect((await world().ask.explainStack('boards')).status).toMatchObject(status)
    const { checks } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'stack boards')?.next).toContain(approve)
    const { states, stacks } = await metrics()
    expect(states.get('Needs approval')).toBe(1)
    expect(stacks).toMatchObject([{ synced: false, needsApproval: true, ready: false }])
    await world().ask.approvePlan('boards', plan!.digest, 'ann', never)
    await wait('boards')
  })

  test('for a rollback whose plan needs approval', async () => {
    await world().push(label('aa'))
    const first = await world().create('boards')
    await world().push(yaml(label('aa'), bucket('raw')))
    await world().sync('boards')
    await world().ended('boards', (await world().ask.rollBack('boards', first.id, '', 'ann')).id)
    expect(await refusal(wait('boards'))).toMatchObject({ status: 'needs-approval', code: 'stacks/needs-approval' })
    expect(await world().ask.getStack('boards')).toMatchObject({
      sync: 'OutOfSync',
      status: { state: 'Needs approval', also: ['Pinned'] },
    })
  })

  test('after a cancelled run, which is no failure', async () => {
    await world().push(label('aa'))
    await world().create('boards', { apply: 'approval' })
    await world().ask.cancelRun('boards', 'ann')
    expect(await refusal(wait('boards'))).toMatchObject({
      status: 'cancelled',
      message: 'boards cannot sync: ann cancelled the run.',
      hint: expect.stringContaining('gitmoor sync boards') as string,
    })
    const status = { state: 'Behind', reason: 'Cancelled' }
    expect((await world().ask.listStacks({ needs: 'person' })).items).toMatchObject([{ status, health: 'Missing' }])
    const { checks } = await world().ask.diagnose(never)
    expect(checks).toContainEqual(expect.objectContaining({ name: 'stack boards', state: 'warning' }))
    const { states, stacks } = await metrics()
    expect([states.get('Behind'), states.get('Failed')]).toEqual([1, 0])
    expect(stacks).toMatchObject([{ failed: false, ready: false, synced: false }])
  })

  test('of a suspended stack', async () => {
    await world().push(label('aa'))
    await world().create('boards')
    await world().push(label('bb'))
    await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
    expect(await refusal(wait('boards'))).toMatchObject({ status: 'locked', hint: 'gitmoor resume boards' })
  })

  test.each([
    ['a package that is wrong', 'kind: Label\n', 'failed'],
    ['a name that another stack has', label('theirs', { name: 'taken', color: '#ffffff' }), 'needs-approval'],
  ])('of %s', async (_, text, status) => {
    await world().push(label('mine', { name: 'taken' }), 'stable')
    await world().create('first', { ref: 'stable' })
    await world().push(text)
    await world().create('second')
    expect(await refusal(wait('second'))).toMatchObject({ status })
  })

  test('of a ref that is not there', async () => {
    await world().push(label('aa'))
    await world().create('boards', { ref: 'nowhere' })
    expect(await refusal(wait('boards'))).toMatchObject({
      status: 'source',
      message: expect.stringContaining('nowhere') as string,
    })
  })

  test('of a stack that is pinned to something else than its ref shows', async () => {
    await world().push(label('aa'))
    const first = await world().create('boards')
    await world().push(label('bb'))
    await world().sync('boards')
    const { id } = await world().ask.rollBack('boards', first.id, 'bad boards', 'ann')
    await world().ended('boards', id)
    expect(await refusal(wait('boards'))).toMatchObject({
      status: 'needs-approval',
      code: 'stacks/pinned',
      message: expect.stringContaining('bad boards') as string,
      hint: expect.stringContaining('gitmoor unpin boards') as string,
    })
    await world().ask.unpinStack('boards', 'ann')
    await wait('boards')
  })

  test('of drift that is only reported', async () => {
    await world().push(label('aa'))
    await world().create('boards', { drift: 'report' })
    await world().ask.deleteResource('Label/aa', { stack: 'boards' }, never)
    world().clock.advance(330_000)
    await until('it is found', async () => (await world().ask.getStack('boards')).sync === 'Drifted')
    expect(await refusal(wait('boards'))).toMatchObject({
      status: 'needs-approval',
      code: 'stacks/drifted',
      hint: expect.stringContaining('gitmoor sync boards') as string,
    })
    await world().sync('boards')
    await wait('boards')
  })

  test('but not where a revision is waited for that is still to come', async () => {
    await world().push(label('aa'))
    const blocked = await world().create('boards', { apply: 'approval' })
    expect(blocked.outcome).toBe('needs-approval')
    const waiting = world().ask.waitForStack('boards', { revision: 'f'.repeat(40), timeoutMs: 300 }, never)
    expect(await refusal(waiting)).toMatchObject({ status: 'timeout' })
  })
})

test('a run that ends while its stack is read is not taken for the failure before it', async () => {
  await world().push('kind: Label\n')
  await world().create('boards')
  const before = (await world().store.stacks.get('boards'))!
  expect(before.failure).not.toBeNull()
  await world().push(label('aa'))
  await world().sync('boards')
  const input = await world().call(readStatusInput, before)
  expect(waitRefusal(input)).toBeUndefined()
  expect(isSynced(input)).toBe(true)
})

describe('a plan that was carried out', () => {
  test('is not carried out again, and says which run did it', async () => {
    await world().push(label('aa'))
    await world().create('boards', { apply: 'approval' })
    const { revision, digest } = await world().ask.previewPlan('boards', {}, never)
    const first = await world().ask.applyPlan({ stack: 'boards', revision, digest }, 'ann', never)
    const again = await world().ask.applyPlan({ stack: 'boards', revision, digest }, 'ann', never)
    expect(again).toEqual({ ...first, already: true })
    expect((await world().ask.listRuns('boards', {})).items[0]!.id).toBe(first.id)
  })

  test('is stale where something else is to be done by now, without a run that fails', async () => {
    await world().push(yaml(label('aa'), label('bb')))
    await world().create('boards', { apply: 'approval' })
    const { revision, digest } = await world().ask.previewPlan('boards', {}, never)
    const first = await world().ask.applyPlan({ stack: 'boards', revision, digest }, 'ann', never)
    await world().ask.deleteResource('Label/aa', { stack: 'boards' }, never)
    expect(await refusal(world().ask.applyPlan({ stack: 'boards', revision, digest }, 'ann', never))).toMatchObject({
      status: 'stale',
    })
    expect((await world().lastRun('boards')).id).toBe(first.id)
  })
})

test('an uninstall says so of everything it removes', async () => {
  await world().push(yaml(label('aa'), bucket('raw')))
  await world().create('boards')
  const plan = await world().ask.previewPlan('boards', { uninstall: true }, never)
  expect(plan.changes.map(({ reason }) => reason)).toEqual(['uninstalled', 'uninstalled'])
})

test('a run that was cut short counts what it did, not what it would have done', async () => {
  await world().push(yaml(label('aa'), label('old')))
  await world().create('boards')
  await world().push(yaml(label('aa'), label('bb')))
  let isCreating = false
  world().platform.onCall(async ({ verb }) => {
    if (verb !== 'create') return
    isCreating = true
    await until('it is suspended', async () => (await world().store.stacks.get('boards'))!.suspended !== null)
  })
  const { id } = await world().ask.requestSync('boards', 'ann', never)
  await until('it creates', () => isCreating)
  await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
  expect(await world().ended('boards', id)).toMatchObject({
    outcome: 'cancelled',
    changes: { create: 1, update: 0, remove: 0, unchanged: 1 },
    plan: { counts: { create: 1, remove: 1 } },
  })
  expect((await world().ask.explainStack('boards')).blockers.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/ 1 completed change is kept\.$/),
  )
})

test('a suspended stack does not show the failure of a commit that was fixed meanwhile', async () => {
  await world().push('kind: Label\n')
  expect((await world().create('boards')).outcome).toBe('failed')
  await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
  const status = async (): Promise<unknown> => (await world().ask.listStacks({})).items[0]!.status
  expect(await status()).toMatchObject({ state: 'Failed', reason: 'PackageInvalid', also: ['Suspended'] })
  await world().push(label('aa'))
  world().clock.advance(60_000)
  await until('the fix is queued', async () => (await world().ask.getStack('boards')).phase === 'queued')
  expect(await status()).toMatchObject({ state: 'Suspended', reason: 'Suspended', also: [] })
  await world().ask.resumeStack('boards', 'ann')
  await until('it is applied', async () => (await world().ask.getStack('boards')).status.state === 'Synced')
})

describe('a run that failed', () => {
  async function failAt(onFailure: 'undo' | 'continue'): Promise<unknown> {
    await world().push(yaml(label('aa'), label('old')))
    await world().create('boards', { onFailure })
    await world().push(yaml(label('aa', { color: '#ffffff' }), label('bb'), task('sum')))
    world().platform.onCall(({ verb, family }) => {
      if (verb === 'create' && family === 'Task') throw new Rejected('No.', { code: 'platform/refused' })
    })
    return world().sync('boards')
  }

  test('and is undone counts nothing as done', async () => {
    expect(await failAt('undo')).toMatchObject({
      outcome: 'undone',
      changes: { create: 0, update: 0, remove: 0, unchanged: 0 },
      plan: { counts: { create: 2, update: 1, remove: 1 } },
    })
  })

  test('and continues where it can counts the completed changes', async () => {
    expect(await failAt('continue')).toMatchObject({
      outcome: 'failed',
      changes: { create: 1, update: 1, unchanged: 0 },
      plan: { counts: { create: 2, update: 1, remove: 1 } },
    })
    expect(await world().names()).toEqual(expect.arrayContaining(['Label/aa', 'Label/bb']))
  })
})

test('a stack that was set to a path that is not there is not synced', async () => {
  await world().push(label('aa'))
  await world().create('boards')
  await world().ask.updateStack('boards', { source: { path: 'nowhere' } }, 'ann')
  await world().lastRun('boards')
  expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Unknown', health: 'Degraded' })
  await world().ask.updateStack('boards', { source: { path: '' } }, 'ann')
  await until('it is synced again', async () => (await world().ask.getStack('boards')).sync === 'Synced')
})

test('a stack that shares what drifted has drifted, until its owner puts it right', async () => {
  await world().push(label('aa'))
  await world().create('owner', { drift: 'report' })
  await world().create('sharer')
  await world().ask.editResource('Label/aa', { color: '#ffffff' }, { stack: 'owner' }, never)
  expect(await world().sync('sharer')).toMatchObject({
    outcome: 'unchanged',
    plan: { sharedDrift: [{ address: 'Label/aa', path: 'color' }] },
  })
  expect(await world().ask.getStack('sharer')).toMatchObject({ sync: 'Drifted' })
  await world().sync('owner')
  await world().sync('sharer')
  expect(await world().ask.getStack('sharer')).toMatchObject({ sync: 'Synced' })
})

test('a change of the template stack replaces a plan that needs approval', async () => {
  await world().push(yaml(label('l1'), label('l2'), label('l3'), label('l4')))
  await world().create('boards')
  await world().sync('boards')
  await world().push(label('l1'))
  const blocked = await world().sync('boards')
  const released = await world().ask.releaseResource('boards', { address: 'Label/l4', by: 'ann' }, never)
  expect(released.run).toMatchObject({ outcome: 'unchanged', cause: { by: 'ann' } })
  const fresh = await world().runAfter('boards', released.run.id)
  expect([blocked, fresh].map(({ plan }) => plan!.changes.length)).toEqual([3, 2])
  const stack = await world().ask.getStack('boards')
  expect(stack).toMatchObject({ phase: 'needs-approval', sync: 'OutOfSync', lastRun: { id: fresh.id } })
  expect(stack.conditions.find(({ type }) => type === 'Ready')).toMatchObject({
    status: false,
    reason: 'NeedsApproval',
  })
  expect((await world().ask.explainStack('boards')).blockers).toMatchObject([{ reason: 'NeedsApproval' }])
  expect((await world().ask.listStacks({})).items).toMatchObject([
    { phase: 'needs-approval', lastRun: { id: fresh.id } },
  ])
})
