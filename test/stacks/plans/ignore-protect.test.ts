// Fields that others own, and resources whose removal always waits, on the embedded platform.
import { describe, expect, test } from 'vitest'
import type { Identity } from '../../../src/model/address.js'
import { Rejected } from '../../../src/model/errors.js'
import type { JsonObject } from '../../../src/model/json.js'
import { declareStacks } from '../../../src/stacks/changes/declare-stacks.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

function board(name: string, ...yPos: readonly number[]): string {
  const charts = yPos.map(
    (y, at) =>
      `  - {kind: xy, name: c${at}, xPos: 0, yPos: ${y}, width: 1, height: 1, queries: [{query: 'x'}], colors: [{name: a, type: scale, hex: '#000000'}], geom: line, axes: [{name: x}, {name: y}]}`,
  )
  return [
    'apiVersion: plain/v1',
    'kind: Dashboard',
    'metadata: {name: ops}',
    'spec:',
    ` name: ${name}`,
    ' charts:',
    ...charts,
    '',
  ].join('\n')
}

async function yPos(): Promise<unknown> {
  const { actual } = await world().ask.getResource('Dashboard/ops', { stack: 'boards' }, never)
  return (actual as { charts: { yPos: unknown }[] }).charts.map((chart) => chart.yPos)
}

async function moveByHand(...places: readonly number[]): Promise<void> {
  const { actual } = await world().ask.getResource('Dashboard/ops', { stack: 'boards' }, never)
  const charts = (actual as { charts: object[] }).charts.map((chart, at) => ({ ...chart, yPos: places[at] }))
  await world().ask.editResource('Dashboard/ops', { charts }, { stack: 'boards' }, never)
}

/** Somebody else moves the chart while a run writes: the agent itself would wait for the end of the run. */
async function moveOnTarget(yPos: number): Promise<void> {
  const { inner } = world().platform
  await using connection = await inner.connect({ name: 'local', platform: 'plain', settings: { space: 'main' } }, never)
  const { id, live } = (await world().live())['Dashboard/operations']!
  const [chart] = live['charts'] as readonly JsonObject[]
  const driver = connection.driver(inner.kinds.find(({ kind }) => kind === 'Dashboard')!)
  await driver.update({ identity: id as Identity, actual: live }, { ...live, charts: [{ ...chart, yPos }] }, never)
}

const ignore = [{ family: 'Dashboard', path: 'charts[*].yPos' }]

describe('ignore', () => {
  test('what others changed is no drift, is not corrected, and is kept by an update beside it', async () => {
    await world().push(board('ops', 1, 2))
    await world().create('boards', { ignore })
    expect(await yPos()).toEqual([1, 2])
    await moveByHand(7, 8)
    expect((await world().sync('boards')).outcome).toBe('unchanged')
    expect(await world().ask.previewPlan('boards', {}, never)).toMatchObject({
      changes: [],
      ignored: [{ path: 'charts[0].yPos' }, { path: 'charts[1].yPos' }],
    })
    await world().push(board('operations', 3, 2))
    expect((await world().sync('boards')).plan!.changes.map(({ fields }) => fields.map(({ path }) => path))).toEqual([
      ['name'],
    ])
    expect(await yPos()).toEqual([7, 8])
  })

  test('what was removed is made again as the package says', async () => {
    await world().push(board('ops', 1))
    await world().create('boards', { ignore })
    await moveByHand(7)
    await world().ask.deleteResource('Dashboard/ops', { stack: 'boards' }, never)
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(await yPos()).toEqual([1])
  })

  test('a revert keeps the value that others set meanwhile', async () => {
    await world().push(yaml(board('ops', 1), label('aa')))
    await world().create('boards', { ignore })
    await world().push(yaml(board('operations', 1), label('aa', { color: '#ffffff' })))
    world().platform.onCall(async ({ verb, family }) => {
      if (verb !== 'update' || family !== 'Label') return
      await until('the dashboard is written', async () => (await world().names()).includes('Dashboard/operations'))
      await moveOnTarget(7)
      throw new Rejected('The target refused.', { code: 'platform/refused' })
    })
    expect((await world().sync('boards')).outcome).toBe('undone')
    expect(await world().names()).toContain('Dashboard/ops')
    expect(await yPos()).toEqual([7])
  })

  test('a rule that is taken away brings the field back', async () => {
    await world().push(board('ops', 1))
    await world().create('boards', { ignore })
    await moveByHand(7)
    const { plan } = await world().ask.updateStack('boards', { ignore: [] }, 'ann')
    expect(plan!.changes.map(({ fields }) => fields)).toEqual([[{ path: 'charts[0].yPos', old: 7, new: 1 }]])
    await world().lastRun('boards')
    expect(await yPos()).toEqual([1])
  })

  test('a rule that is added changes nothing by itself', async () => {
    await world().push(board('ops', 1))
    await world().create('boards')
    expect((await world().ask.updateStack('boards', { ignore }, 'ann')).plan!.changes).toEqual([])
  })

  test('an unused path is a warning, and an unknown family is refused', async () => {
    await world().push(board('ops', 1))
    const run = await world().create('boards', { ignore: [{ family: 'Dashboard', path: 'charts[*].color' }] })
    expect(run.problems).toMatchObject([{ severity: 'warning', code: 'plan/ignores-nothing' }])
    const slip = world().ask.createStack(
      world().spec('others', { ignore: [{ family: 'Dashbord', path: 'name' }] }),
      'ann',
    )
    expect(await refusal(slip)).toMatchObject({
      status: 'usage',
      code: 'stacks/family-unknown',
      message: '"ignore[0].family" names the unknown family "Dashbord". Did you mean "Dashboard"?',
      hint: expect.stringMatching(/^The families of the target local are: .*Dashboard/) as string,
    })
  })

  test('all unknown families are refused together, each with its field', async () => {
    const rules = { ignore: [{ family: 'Bukcet', path: 'name' }], protect: ['Label/aa', 'Lable/*'] }
    const refused = world().ask.createStack(world().spec('others', rules), 'ann')
    await expect(refused).rejects.toMatchObject({
      status: 'usage',
      message: 'Unknown families: "Bukcet" ("ignore[0].family"), "Lable" ("protect[1]").',
      problems: [
        {
          field: 'ignore[0].family',
          message: '"ignore[0].family" names the unknown family "Bukcet". Did you mean "Bucket"?',
        },
        { field: 'protect[1]', message: '"protect[1]" names the unknown family "Lable". Did you mean "Label"?' },
      ],
    })
  })
})

describe('protect', () => {
  const protect = ['Label/aa']

  test('a removal needs approval, and is done when it is approved', async () => {
    await world().push(yaml(label('aa'), label('bb'), label('cc')))
    await world().create('boards', { protect })
    await world().push(yaml(label('bb'), label('cc')))
    const run = await world().sync('boards')
    expect(run).toMatchObject({
      outcome: 'needs-approval',
      plan: { needsApproval: [{ rule: 'protect', address: 'Label/aa' }] },
    })
    expect(await world().names()).toHaveLength(3)
    await world().ask.approvePlan('boards', run.plan!.digest, 'ann', never)
    expect(await world().names()).toEqual(['Label/bb', 'Label/cc'])
  })

  test('an uninstall waits, too, and takes everything and the stack away when it is approved', async () => {
    await world().push(yaml(label('aa'), bucket('raw')))
    await world().create('boards', { protect })
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    const uninstall = world().ask.deleteStack('boards', { uninstall: digest, by: 'ann' }, never)
    expect(await refusal(uninstall)).toMatchObject({
      status: 'needs-approval',
      code: 'stacks/protected',
      message: 'boards is not deleted yet: the plan needs approval, because the setting `protect` covers Label/aa.',
      hint: `Keep everything: gitmoor cancel boards\nDelete anyway: gitmoor approve boards ${digest.slice(0, 12)}`,
    })
    expect(await world().names()).toEqual(['Bucket/raw', 'Label/aa'])
    await world().ask.approvePlan('boards', digest.slice(0, 12), 'ann', never)
    expect(await world().names()).toEqual([])
    expect((await world().ask.listStacks({})).items).toEqual([])
  })

  test('an uninstall that waits is dropped only by a cancel, not by a setting, and the next sync keeps everything', async () => {
    await world().push(label('aa'))
    await world().create('boards', { protect })
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await refusal(world().ask.deleteStack('boards', { uninstall: digest, by: 'ann' }, never))
    const set = () => world().ask.updateStack('boards', { maxDeletes: 7 }, 'ann')
    expect(await refusal(set())).toMatchObject({
      status: 'needs-approval',
      code: 'stacks/uninstall-waits',
      message: expect.stringMatching(/^The uninstall of boards needs approval \(run \d+\)\./) as string,
      hint: 'Cancel it, then try again: gitmoor cancel boards\nOr approve its plan: gitmoor plan boards',
    })
    await world().ask.updateStack('boards', { labels: { team: 'ops' } }, 'ann')
    const cancelled = await world().ask.cancelRun('boards', 'ann')
    expect(cancelled).toMatchObject({ status: { state: 'Synced' }, lastRun: { outcome: 'cancelled' } })
    expect((await world().ask.explainStack('boards')).nextDriftCheckAt).not.toBeNull()
    await set()
    expect((await world().sync('boards')).outcome).toBe('unchanged')
    expect(await world().names()).toEqual(['Label/aa'])
  })

  test('the plan of a stack whose uninstall waits is the uninstall', async () => {
    await world().push(label('aa'))
    await world().create('boards', { protect })
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await refusal(world().ask.deleteStack('boards', { uninstall: digest, by: 'ann' }, never))
    expect(await world().ask.previewPlan('boards', {}, never)).toMatchObject({
      uninstall: true,
      digest,
      changes: [{ action: 'remove', address: 'Label/aa' }],
    })
    expect(await world().ask.previewPlan('boards', { ref: 'main' }, never)).toMatchObject({ changes: [] })
    expect((await world().ask.getStack('boards')).status.next?.[0]).toMatchObject({ cli: 'gitmoor plan boards' })
    await world().ask.cancelRun('boards', 'ann')
    expect(await world().ask.previewPlan('boards', {}, never)).toMatchObject({ changes: [] })
  })

  test('an uninstall that waits is kept by a new commit, a schedule and a sync; after a cancel the commit is applied', async () => {
    await world().push(label('aa'))
    await world().create('boards', { protect, schedule: '* * * * *' })
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await refusal(world().ask.deleteStack('boards', { uninstall: digest, by: 'ann' }, never))
    const { lastRun, revision } = await world().ask.getStack('boards')
    await world().push(yaml(label('aa'), label('bb')))
    await until('the commit is observed', async () => {
      world().clock.advance(20_000)
      return (await world().ask.getStack('boards')).revision.observed !== revision.observed
    })
    expect(await refusal(world().sync('boards'))).toMatchObject({
      status: 'needs-approval',
      code: 'stacks/uninstall-waits',
    })
    const stack = await world().ask.getStack('boards')
    expect(stack.lastRun?.id).toBe(lastRun?.id)
    expect(stack.status).toMatchObject({ state: 'Needs approval' })
    expect(stack.status.message).toMatch(/^The uninstall needs approval/)
    await world().ask.cancelRun('boards', 'ann')
    expect((await world().lastRun('boards')).outcome).toBe('applied')
    expect(await world().names()).toEqual(['Label/aa', 'Label/bb'])
  })

  describe('an uninstall that waits', () => {
    /** Two applied runs, and an uninstall that needs approval. */
    const uninstalling = async (): Promise<string> => {
      await world().push(label('aa'))
      const first = await world().create('boards', { protect })
      await world().push(yaml(label('aa'), label('bb')))
      await world().sync('boards')
      const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
      await refusal(world().ask.deleteStack('boards', { uninstall: digest, by: 'ann' }, never))
      return first.id
    }
    const isKept = async (): Promise<void> => {
      const { status } = await world().ask.getStack('boards')
      expect(status).toMatchObject({ state: 'Needs approval', next: [{ cli: 'gitmoor plan boards' }, {}, {}] })
      expect(status.message).toMatch(/^The uninstall needs approval/)
    }

    test('refuses a rollback, which pins nothing', async () => {
      const first = await uninstalling()
      expect(await refusal(world().ask.rollBack('boards', first, 'too much', 'ann'))).toMatchObject({
        code: 'stacks/uninstall-waits',
        message: expect.stringMatching(/A rollback would drop it\.$/) as string,
      })
      expect((await world().ask.getStack('boards')).pinned).toBeNull()
      await isKept()
    })

    test('refuses the end of a rollback', async () => {
      await world().push(label('aa'))
      const first = await world().create('boards', { protect })
      await world().push(yaml(label('aa'), label('bb')))
      await world().sync('boards')
      await world().ended('boards', (await world().ask.rollBack('boards', first.id, '', 'ann')).id)
      const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
      await refusal(world().ask.deleteStack('boards', { uninstall: digest, by: 'ann' }, never))
      expect(await refusal(world().ask.unpinStack('boards', 'ann'))).toMatchObject({ code: 'stacks/uninstall-waits' })
      expect((await world().ask.getStack('boards')).pinned).toMatchObject({ run: first.id })
      await isKept()
    })

    test('refuses a saved plan', async () => {
      await uninstalling()
      const { revision, digest } = await world().ask.previewPlan('boards', { ref: 'main' }, never)
      const apply = world().ask.applyPlan({ stack: 'boards', revision, digest }, 'ann', never)
      expect(await refusal(apply)).toMatchObject({ code: 'stacks/uninstall-waits' })
      await isKept()
    })

    test('is kept by a veto, and by a suspension and its end', async () => {
      await uninstalling()
      const [newest] = (await world().ask.listMoves(`${world().url}#main`, {})).items
      await world().ask.vetoMove(newest!.id, { by: 'ann', why: 'bad' })
      const { lastRun } = await world().ask.getStack('boards')
      await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
      await world().ask.resumeStack('boards', 'ann')
      expect((await world().ask.getStack('boards')).lastRun?.id).toBe(lastRun!.id)
      expect(await world().names()).toEqual(['Label/aa', 'Label/bb'])
      expect((await world().ask.explainStack('boards')).blockers).toContainEqual(
        expect.objectContaining({ reason: 'NeedsApproval' }),
      )
    })
  })

  test('an uninstall that waits is kept by a push', async () => {
    const files = [{ path: 'package.yml', text: label('aa') }]
    await world().ask.createStack(world().spec('boards', { sources: [{ kind: 'inline' }], protect }), 'ann')
    const { id } = await world().ask.pushPackage('boards', { files }, 'ann', never)
    await world().ended('boards', id)
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await refusal(world().ask.deleteStack('boards', { uninstall: digest, by: 'ann' }, never))
    expect(await refusal(world().ask.pushPackage('boards', { files }, 'ann', never))).toMatchObject({
      code: 'stacks/uninstall-waits',
      message: expect.stringMatching(/A pushed package would drop it\.$/) as string,
    })
    expect((await world().ask.getStack('boards')).status.message).toMatch(/^The uninstall needs approval/)
  })

  test('an uninstall that waits is kept by a reload with other settings', async () => {
    const declare = (maxDeletes: number): ReturnType<typeof declareStacks> =>
      declareStacks([world().spec('boards', { protect, maxDeletes })], {
        sync: world().agent.sync,
        scheduler: world().agent,
      })
    await world().push(label('aa'))
    await declare(5)
    await world().lastRun('boards')
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await refusal(world().ask.uninstallStack('boards', { digest, by: 'ann' }, never))
    expect(await declare(7)).toMatchObject([{ code: 'stacks/uninstall-waits', stack: 'boards' }])
    const { status, spec } = await world().ask.getStack('boards')
    expect(status.message).toMatch(/^The uninstall needs approval/)
    expect(spec.maxDeletes).toBe(5)
    await world().ask.cancelRun('boards', 'ann')
    expect(await declare(7)).toEqual([])
  })
})
