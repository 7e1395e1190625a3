// What would be done, what waits for a person, and consent.
import { describe, expect, test } from 'vitest'
import { bucket, dashboard, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { answering } from '../../memory-git.js'

const world = useWorld()
const five = yaml(...[1, 2, 3, 4, 5].map((n) => label(`l${n}`)))

describe('plan', () => {
  test('a plan shows what a sync would do and writes nothing', async () => {
    await world().push(label('red'))
    await world().create('boards')
    await world().push(yaml(label('red', { color: '#ffffff' }), dashboard('ops')))
    world().platform.reset()
    const plan = await world().ask.previewPlan('boards', {}, never)
    expect(plan.counts).toEqual({ create: 1, update: 1, remove: 0, unchanged: 0 })
    expect(plan.changes.find(({ address }) => address === 'Label/red')).toMatchObject({
      action: 'update',
      reason: 'edited',
      fields: [{ path: 'color', old: '#112233', new: '#ffffff' }],
    })
    expect(world().platform.writes).toEqual([])
  })

  test('a plan for another ref can be previewed, but not applied', async () => {
    await world().push(label('red'), 'stable')
    await world().push(yaml(label('red'), label('blue')), 'beta')
    await world().create('boards', { ref: 'stable' })
    const plan = await world().ask.previewPlan('boards', { ref: 'beta' }, never)
    expect(plan.counts.create).toBe(1)
    const apply = world().ask.applyPlan({ stack: 'boards', revision: plan.revision, digest: plan.digest }, 'ann', never)
    expect(await refusal(apply)).toMatchObject({
      status: 'usage',
      hint: 'Follow it: gitmoor stack set boards --ref beta',
    })
    expect(await world().names()).toEqual(['Label/red'])
  })

  test('of a ref that does not exist names the command that changes the setting, unless the caller gave the ref', async () => {
    await world().push(label('red'))
    await world().ask.createStack(world().spec('boards', { ref: 'mian' }), 'ann')
    const hint = async (options: { readonly ref?: string }): Promise<string | undefined> =>
      (await refusal(world().ask.previewPlan('boards', options, never))).hint
    expect(await hint({})).toBe('Push it.\nOr follow another ref: gitmoor stack set boards --ref REF')
    expect(await hint({ ref: 'mian2' })).toBe('Push it.')
  })

  describe('says what keeps a sync from applying it now:', () => {
    const reasons = async (ref?: string): Promise<readonly string[]> => {
      const { blockers = [] } = await world().ask.previewPlan('boards', ref === undefined ? {} : { ref }, never)
      return blockers.map(({ reason }) => reason)
    }

    test('nothing', async () => {
      await world().push(label('red'))
      await world().create('boards')
      expect(await reasons()).toEqual([])
    })

    test('a suspension, for which an apply of the plan is refused, too', async () => {
      await world().push(label('red'))
      await world().create('boards')
      await world().ask.suspendStack('boards', 'audit', undefined, 'ann')
      await world().push(yaml(label('red'), label('blue')), 'beta')
      const { blockers, revision, digest } = await world().ask.previewPlan('boards', {}, never)
      expect(blockers).toMatchObject([
        { reason: 'Suspended', message: 'Suspended by ann: audit.', next: [{ cli: 'gitmoor resume boards' }] },
      ])
      expect(await reasons('beta')).toEqual(['Suspended'])
      const apply = world().ask.applyPlan({ stack: 'boards', revision, digest }, 'ann', never)
      expect(await refusal(apply)).toMatchObject({ status: 'locked', hint: 'Resume it first: gitmoor resume boards' })
      const { plan } = await world().ask.updateStack('boards', { maxDeletes: 5 }, 'ann')
      expect(plan?.blockers).toMatchObject([{ reason: 'Suspended' }])
    })

    test('a stack that it depends on and that is not ready, with the command that syncs anyway', async () => {
      await world().push(label('red'))
      await world().create('base', { ref: 'nowhere' })
      await world().ask.createStack(world().spec('boards', { dependsOn: ['base'] }), 'ann')
      expect((await world().ask.previewPlan('boards', {}, never)).blockers).toMatchObject([
        {
          reason: 'Dependencies',
          message: expect.stringMatching(/^It waits for base, which will not become ready by itself/) as string,
          next: [{ cli: 'gitmoor explain base' }, { cli: 'gitmoor sync boards' }],
        },
      ])
    })

    test('a window that is closed for manual commands, not one that allows them', async () => {
      const always = { kind: 'deny', schedule: '* * * * *', durationMs: 3_600_000 } as const
      await world().push(label('red'))
      await world().create('boards')
      await world().ask.updateStack('boards', { windows: [{ ...always, manual: 'allow' }] }, 'ann')
      expect(await reasons()).toEqual([])
      await world().ask.updateStack('boards', { windows: [always] }, 'ann')
      expect(await reasons()).toEqual(['Window'])
    })

    test('a pin, unless it plans another ref', async () => {
      await world().push(label('red'), 'beta')
      const first = await world().create('boards')
      await world().push(yaml(label('red'), label('blue')))
      await world().sync('boards')
      await world().ask.rollBack('boards', first.id, 'clearer', 'ann')
      await world().lastRun('boards')
      expect(await reasons()).toEqual(['Pinned'])
      expect(await reasons('beta')).toEqual([])
    })
  })

  test('every problem of a package is reported together', async () => {
    await world().push(
      yaml(
        label('red'),
        'apiVersion: plain/v1\nkind: Bucket\nmetadata:\n  name: raw\nspec:\n  name: [x]\n',
        'kind: Label\n',
      ),
    )
    const run = await world().create('boards')
    expect(run.outcome).toBe('failed')
    expect(run.problems.filter(({ severity }) => severity === 'error').length).toBeGreaterThanOrEqual(2)
    expect(world().condition(await world().ask.getStack('boards')).reason).toBe('PackageInvalid')
  })
})

describe('apply', () => {
  const approval = { apply: 'approval' } as const

  test('exactly the plan that was seen is applied', async () => {
    await world().push(label('red'))
    await world().create('boards', approval)
    const plan = await world().ask.previewPlan('boards', {}, never)
    const row = await world().ask.applyPlan(
      { stack: 'boards', revision: plan.revision, digest: plan.digest },
      'ann',
      never,
    )
    expect(row).toMatchObject({ outcome: 'applied', cause: { kind: 'person', by: 'ann' } })
    expect((await world().ask.getRun('boards', row.id)).plan?.digest).toBe(plan.digest)
    expect(await world().ask.getStack('boards')).toMatchObject({
      sync: 'Synced',
      revision: { observed: plan.revision, applied: plan.revision },
    })
  })

  test('requests for the same plan at the same time share one run', async () => {
    await world().push(label('red'))
    await world().create('boards', approval)
    const { revision, digest } = await world().ask.previewPlan('boards', {}, never)
    const rows = await Promise.all(
      ['ann', 'bob', 'eve'].map((by) => world().ask.applyPlan({ stack: 'boards', revision, digest }, by, never)),
    )
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1)
    expect(rows.map(({ outcome, already = false }) => [outcome, already])).toEqual([
      ['applied', false],
      ['applied', true],
      ['applied', true],
    ])
  })

  test('damage in between makes a plan stale', async () => {
    await world().push(yaml(label('red'), label('blue')))
    await world().create('boards')
    await world().push(yaml(label('red'), label('blue'), label('green')))
    await world().ask.updateStack('boards', approval, 'ann')
    await world().lastRun('boards')
    const plan = await world().ask.previewPlan('boards', {}, never)
    await world().ask.deleteResource('Label/red', { stack: 'boards' }, never)
    const apply = world().ask.applyPlan({ stack: 'boards', revision: plan.revision, digest: plan.digest }, 'ann', never)
    expect(await refusal(apply)).toMatchObject({ status: 'stale', code: 'plan/stale' })
    expect(await world().names()).toEqual(['Label/blue'])
  })

  test('a newer revision in between makes a plan stale', async () => {
    await world().push(label('red'))
    await world().create('boards', approval)
    const plan = await world().ask.previewPlan('boards', {}, never)
    await world().push(yaml(label('red'), label('blue')))
    const blocked = await world().sync('boards')
    const apply = world().ask.applyPlan({ stack: 'boards', revision: plan.revision, digest: plan.digest }, 'ann', never)
    expect(await refusal(apply)).toMatchObject({ status: 'stale', code: 'plan/stale' })
    expect(await world().names()).toEqual([])
    expect(await world().ask.approvePlan('boards', blocked.plan!.digest.slice(0, 12), 'ann', never)).toMatchObject({
      outcome: 'applied',
    })
  })

  test('a stale plan does not take away the plan that waits', async () => {
    await world().push(yaml(label('red'), label('blue')))
    const first = await world().create('boards', approval)
    const old = { stack: 'boards', revision: first.revision, digest: '0'.repeat(64) }
    expect(await refusal(world().ask.applyPlan(old, 'ann', never))).toMatchObject({ status: 'stale' })
    await until('the plan waits again', async () => (await world().ask.getStack('boards')).phase === 'needs-approval')
    expect(await world().ask.approvePlan('boards', first.plan!.digest, 'ann', never)).toMatchObject({
      outcome: 'applied',
    })
  })
})

describe('plans that need approval', () => {
  test('removals of more than half the resources require approval of the whole plan', async () => {
    await world().push(five)
    await world().create('boards')
    await world().push(yaml(label('l1'), dashboard('ops')))
    const run = await world().sync('boards')
    expect(run).toMatchObject({ outcome: 'needs-approval', phase: 'needs-approval' })
    expect(run.plan!.needsApproval).toEqual([
      { rule: 'deletions', message: expect.stringContaining('4 of the 5 resources') as string, always: true },
    ])
    expect(await world().names()).toHaveLength(5)
    const view = await world().ask.getStack('boards')
    expect(view).toMatchObject({ phase: 'needs-approval', sync: 'OutOfSync' })
    expect(world().condition(view).reason).toBe('NeedsApproval')
    expect((await world().ask.explainStack('boards')).text).toContain(
      `gitmoor approve boards ${run.plan!.digest.slice(0, 12)}`,
    )
    const approved = await world().ask.approvePlan('boards', run.plan!.digest.slice(0, 12), 'bob', never)
    expect(approved).toMatchObject({ outcome: 'applied', cause: { by: 'bob' } })
    expect(await world().names()).toEqual(['Dashboard/ops', 'Label/l1'])
  })

  test.each([
    {
      rule: 'data-loss',
      before: yaml(label('aa'), label('bb'), bucket('raw')),
      after: yaml(label('aa'), label('bb')),
      policy: {},
    },
    {
      rule: 'data-loss',
      before: bucket('raw', { every: 2_592_000 }),
      after: bucket('raw', { every: 3_600 }),
      policy: { dataLoss: 'refuse' },
    },
    { rule: 'approval', before: label('aa'), after: yaml(label('aa'), label('bb')), policy: { apply: 'approval' } },
    { rule: 'deletions', before: five, after: yaml(label('l1'), label('l2'), label('l3')), policy: { maxDeletes: 1 } },
  ] as const)('the rule $rule needs approval', async ({ rule, before, after, policy }) => {
    await world().push(before)
    const first = await world().create('boards', policy)
    if (first.outcome === 'needs-approval') await world().ask.approvePlan('boards', first.plan!.digest, 'ann', never)
    await world().push(after)
    const run = await world().sync('boards')
    expect(run.outcome).toBe('needs-approval')
    expect(run.plan!.needsApproval.map((hold) => hold.rule)).toEqual([rule])
    expect(await world().ask.approvePlan('boards', run.plan!.digest, 'ann', never)).toMatchObject({
      outcome: 'applied',
    })
  })

  test('approvals of the same plan at the same time share one run, and no run fails', async () => {
    await world().push(five)
    await world().create('boards', { apply: 'approval' })
    const { id, plan } = await world().lastRun('boards')
    const rows = await Promise.all(
      ['ann', 'bob', 'eve'].map((by) => world().ask.approvePlan('boards', plan!.digest, by, never)),
    )
    expect(new Set(rows.map((row) => row.id)).size).toBe(1)
    expect(rows.map(({ outcome, already = false }) => [outcome, already])).toEqual([
      ['applied', false],
      ['applied', true],
      ['applied', true],
    ])
    const { items } = await world().ask.listRuns('boards', {})
    expect(items.map((one) => [one.id, one.outcome])).toEqual([
      [rows[0]!.id, 'applied'],
      [id, 'needs-approval'],
    ])
  })

  test('data is lost without asking where the stack allows it', async () => {
    await world().push(yaml(label('aa'), label('bb'), bucket('raw')))
    await world().create('boards', { dataLoss: 'allow' })
    await world().push(yaml(label('aa'), label('bb')))
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(await world().names()).toEqual(['Label/aa', 'Label/bb'])
  })

  test('a plan whose commit was taken back is not applied, even before a poll finds it', async () => {
    const before = yaml(label('aa'), label('bb'), bucket('raw'))
    await world().push(before)
    await world().create('boards')
    await world().push(yaml(label('aa'), label('bb')))
    const { plan } = await world().sync('boards')
    await world().push(before)
    expect(await refusal(world().ask.approvePlan('boards', plan!.digest, 'ann', never))).toMatchObject({
      status: 'stale',
      code: 'plan/stale',
      message: expect.stringMatching(
        /^The plan is for main@\w{7}, but the current revision of boards is main@/,
      ) as string,
      hint: 'Review the current plan: gitmoor plan boards',
    })
    expect((await world().lastRun('boards')).outcome).toBe('unchanged')
    expect(await world().names()).toContain('Bucket/raw')
  })

  test('a plan can be approved while its source is unreachable', async () => {
    await world().push(yaml(label('aa'), label('bb'), bucket('raw')))
    await world().create('boards')
    await world().push(yaml(label('aa'), label('bb')))
    const { plan } = await world().sync('boards')
    world().server.intercept(answering(503))
    expect(await world().ask.approvePlan('boards', plan!.digest, 'ann', never)).toMatchObject({ outcome: 'applied' })
  })

  test('fewer than 12 digits, and other digits, do not approve', async () => {
    await world().push(label('aa'))
    const run = await world().create('boards', { apply: 'approval' })
    for (const digest of [run.plan!.digest.slice(0, 11), '0'.repeat(12)])
      expect(await refusal(world().ask.approvePlan('boards', digest, 'ann', never))).toMatchObject({ status: 'stale' })
    expect(await world().names()).toEqual([])
  })

  test('where nothing waits, there is nothing to approve', async () => {
    await world().push(label('aa'))
    await world().create('boards')
    expect(await refusal(world().ask.approvePlan('boards', '0'.repeat(12), 'ann', never))).toMatchObject({
      status: 'needs-approval',
    })
  })

  test('the plan of a commit that no poll found yet can be approved', async () => {
    await world().push(label('aa'))
    await world().create('boards')
    await world().ask.updateStack('boards', { apply: 'approval' }, 'ann')
    await world().lastRun('boards')
    await world().push(yaml(label('aa'), label('bb')))
    const { digest } = await world().ask.previewPlan('boards', {}, never)
    const approved = await world().ask.approvePlan('boards', digest.slice(0, 12), 'bob', never)
    expect(approved).toMatchObject({ outcome: 'applied', cause: { by: 'bob' } })
    expect(await world().names()).toEqual(['Label/aa', 'Label/bb'])
    expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Synced', phase: 'done' })
  })

  test('the plan of a newer commit can be approved in place of the one that waits', async () => {
    await world().push(label('aa'))
    const first = await world().create('boards', { apply: 'approval' })
    await world().push(yaml(label('aa'), label('bb')))
    const { digest } = await world().ask.previewPlan('boards', {}, never)
    expect(digest).not.toBe(first.plan!.digest)
    expect(await world().ask.approvePlan('boards', digest, 'bob', never)).toMatchObject({ outcome: 'applied' })
    expect(await world().names()).toEqual(['Label/aa', 'Label/bb'])
  })

  test('another digest than that of the newest commit is answered with the new one', async () => {
    await world().push(label('aa'))
    await world().create('boards')
    await world().ask.updateStack('boards', { apply: 'approval' }, 'ann')
    await world().lastRun('boards')
    await world().push(yaml(label('aa'), label('bb')))
    const old = await world().ask.previewPlan('boards', {}, never)
    await world().push(yaml(label('aa'), label('cc')))
    const refused = await refusal(world().ask.approvePlan('boards', old.digest, 'bob', never))
    const { digest } = await world().ask.previewPlan('boards', {}, never)
    expect(refused).toMatchObject({ status: 'stale', code: 'plan/stale' })
    expect(refused.message).toContain(digest.slice(0, 12))
    expect(await world().names()).toEqual(['Label/aa'])
    expect(await world().ask.approvePlan('boards', digest, 'bob', never)).toMatchObject({ outcome: 'applied' })
  })

  test('a new revision replaces the plan', async () => {
    await world().push(five)
    await world().create('boards')
    await world().push(label('l1'))
    const blocked = await world().sync('boards')
    await world().push(yaml(five, label('l6')))
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(await refusal(world().ask.approvePlan('boards', blocked.plan!.digest, 'ann', never))).toMatchObject({
      status: 'needs-approval',
    })
  })

  test('damage in between makes an approval stale, and the fresh plan waits', async () => {
    await world().push(five)
    await world().create('boards')
    await world().push(label('l1'))
    const blocked = await world().sync('boards')
    await world().ask.deleteResource('Label/l5', { stack: 'boards' }, never)
    expect(await refusal(world().ask.approvePlan('boards', blocked.plan!.digest, 'ann', never))).toMatchObject({
      status: 'stale',
    })
    expect(await world().names()).toHaveLength(4)
    await until('the fresh plan waits', async () => (await world().ask.getStack('boards')).phase === 'needs-approval')
    const fresh = await world().lastRun('boards')
    expect(fresh.plan!.digest).not.toBe(blocked.plan!.digest)
    expect(await world().ask.approvePlan('boards', fresh.plan!.digest, 'ann', never)).toMatchObject({
      outcome: 'applied',
    })
    expect(await world().names()).toEqual(['Label/l1'])
  })

  test('the plan still needs approval after a restart', async () => {
    await world().push(five)
    await world().create('boards')
    await world().push(label('l1'))
    const blocked = await world().sync('boards')
    await world().restart()
    world().clock.advance(400_000)
    expect((await world().lastRun('boards')).id).toBe(blocked.id)
    expect(await world().ask.approvePlan('boards', blocked.plan!.digest, 'ann', never)).toMatchObject({
      outcome: 'applied',
    })
  })
})

describe('adoption', () => {
  test('an existing resource without an owner is adopted', async () => {
    const made = await world().ask.createResource('Bucket', { name: 'raw', description: 'by hand' }, {}, never)
    await world().push(bucket('mine', { name: 'raw' }))
    const run = await world().create('boards')
    expect(run.plan!.changes[0]).toMatchObject({ action: 'update', adopts: true, identity: made.id })
    expect(run.changes).toEqual({ create: 0, update: 1, remove: 0, unchanged: 0 })
    expect(await world().live()).toMatchObject({
      'Bucket/raw': { id: made.id, stack: 'boards', live: { description: '' } },
    })
  })

  test('needs approval if the stack requires it', async () => {
    await world().ask.createResource('Bucket', { name: 'raw', description: 'by hand' }, {}, never)
    await world().push(bucket('raw'))
    const run = await world().create('boards', { adopt: 'refuse' })
    expect(run.plan!.needsApproval).toMatchObject([{ rule: 'adoption', address: 'Bucket/raw' }])
    expect(await world().live()).toMatchObject({ 'Bucket/raw': { stack: null, live: { description: 'by hand' } } })
    expect(await world().ask.approvePlan('boards', run.plan!.digest, 'ann', never)).toMatchObject({
      outcome: 'applied',
    })
  })

  test('what was adopted loses its data only with consent', async () => {
    await world().ask.createResource('Bucket', { name: 'raw' }, {}, never)
    await world().push(yaml(bucket('raw'), label('aa')))
    await world().create('boards')
    await world().push(label('aa'))
    expect((await world().sync('boards')).plan!.needsApproval.map(({ rule }) => rule)).toEqual(['data-loss'])
  })

  test('what was adopted is removed only with consent, although it has no data', async () => {
    await world().ask.createResource('Label', { name: 'by-hand' }, {}, never)
    await world().push(yaml(label('by-hand'), label('own'), bucket('raw')))
    await world().create('boards')
    const uninstall = await world().ask.previewPlan('boards', { uninstall: true }, never)
    expect(uninstall.changes.filter(({ adopted }) => adopted === true).map(({ address }) => address)).toEqual([
      'Label/by-hand',
    ])
    expect(uninstall.needsApproval.flatMap(({ rule, message }) => (rule === 'data-loss' ? message : []))).toEqual([
      'Removing Label/by-hand deletes a resource that existed before this stack adopted it.',
      'Removing Bucket/raw deletes its data.',
    ])
    await world().push(yaml(label('own'), bucket('raw')))
    expect((await world().sync('boards')).plan!.needsApproval).toMatchObject([
      { rule: 'data-loss', address: 'Label/by-hand' },
    ])
  })

  test('what was adopted and made again is like any other resource', async () => {
    await world().ask.createResource('Label', { name: 'by-hand' }, {}, never)
    await world().push(yaml(label('by-hand'), label('own'), label('third')))
    await world().create('boards')
    await world().ask.deleteResource('Label/by-hand', { stack: 'boards' }, never)
    await world().sync('boards')
    await world().push(yaml(label('own'), label('third')))
    expect((await world().sync('boards')).outcome).toBe('applied')
  })

  test('dashboards of one name are never matched', async () => {
    await world().ask.createResource('Dashboard', { name: 'ops' }, {}, never)
    await world().push(dashboard('ops'))
    expect((await world().create('boards')).changes).toMatchObject({ create: 1 })
    const { items } = await world().ask.listResources({}, never)
    expect(items.filter(({ displayName }) => displayName === 'ops')).toHaveLength(2)
  })
})

describe('cancel', () => {
  test('of an uninstall that needs approval ends it, and explain says so', async () => {
    await world().push(yaml(label('aa'), label('bb')))
    await world().create('boards', { protect: ['Label/aa'] })
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await refusal(world().ask.uninstallStack('boards', { digest, by: 'ann' }, never))
    await world().ask.cancelRun('boards', 'ann')
    expect((await world().ask.explainStack('boards')).lastRun).toMatch(/^Run \d+ was cancelled\. /)
    expect(await world().names()).toHaveLength(2)
  })

  test('a cancelled plan cannot be approved', async () => {
    await world().push(label('aa'))
    const run = await world().create('boards', { apply: 'approval' })
    await world().ask.cancelRun('boards', 'ann')
    expect(world().condition(await world().ask.getStack('boards')).reason).toBe('Cancelled')
    expect(await refusal(world().ask.approvePlan('boards', run.plan!.digest, 'ann', never))).toMatchObject({
      status: 'needs-approval',
    })
    expect(await world().names()).toEqual([])
  })

  test('changes in progress end and are recorded, nothing is reverted, and the revision waits, also after a restart', async () => {
    await world().push(yaml(bucket('raw'), label('aa'), label('bb')))
    const { reached, release } = world().platform.holdCalls('create')
    const { run } = await world().ask.createStack(world().spec('boards'), 'ann')
    await reached
    const cancelled = world().ask.cancelRun('boards', 'bob')
    release()
    await cancelled
    expect(await world().ended('boards', run)).toMatchObject({
      outcome: expect.stringMatching(/cancelled|applied/) as string,
    })
    const made = await world().names()
    const last = await world().lastRun('boards')
    await world().restart()
    world().clock.advance(700_000)
    await world().ask.listChannels({})
    expect((await world().lastRun('boards')).id).toBe(last.id)
    expect(await world().names()).toEqual(made)
    expect((await world().sync('boards')).outcome).toMatch(/applied|unchanged/)
    expect(await world().names()).toEqual(['Bucket/raw', 'Label/aa', 'Label/bb'])
  })
})
