// Why a resource is as it is, and what would free a stack that is blocked.
import { nextText, type NextStep } from '../../../src/model/stacks/blocker.js'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Bug, Unavailable } from '../../../src/model/errors.js'
import type { ResourceDetail } from '../../../src/views/explanation.js'
import { causeText } from '../../../src/model/stacks/run.js'
import { bucket, dashboard, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

describe('a resource', () => {
  test('shows its last change, the run and its cause, newest first, in pages', async () => {
    await world().push(yaml(label('aa'), label('bb')), 'stable')
    const first = await world().create('boards', { ref: 'stable' })
    await world().push(yaml(label('aa', { color: '#ffffff' }), label('bb')), 'stable')
    const second = await world().sync('boards')
    const page = await world().ask.explainResources('boards', { limit: 1 })
    expect(page.items).toMatchObject([
      {
        address: 'Label/aa',
        lastChange: {
          run: second.id,
          reason: 'edited',
          paths: ['color'],
          cause: expect.stringContaining('tag stable moved from') as string,
        },
      },
    ])
    const rest = await world().ask.explainResources('boards', { limit: 10, after: page.next! })
    expect(rest).toMatchObject({
      items: [
        {
          address: 'Label/bb',
          lastChange: { run: first.id, reason: 'added', cause: expect.stringContaining('created') as string },
        },
      ],
      next: null,
    })
  })

  test('shows that drift or a deletion was corrected', async () => {
    await world().push(yaml(label('aa'), label('bb')))
    await world().create('boards')
    await world().ask.editResource('Label/aa', { color: '#ffffff' }, {}, never)
    await world().ask.deleteResource('Label/bb', {}, never)
    await world().sync('boards')
    const { items } = await world().ask.explainResources('boards', {})
    expect(items.map(({ address, lastChange }) => [address, lastChange!.reason])).toEqual([
      ['Label/aa', 'drifted'],
      ['Label/bb', 'gone'],
    ])
  })

  test('of a pinned stack shows the pin, and what ends it', async () => {
    await world().push(label('aa'))
    const first = await world().create('boards')
    await world().push(label('aa', { color: '#ffffff' }))
    await world().sync('boards')
    expect((await world().ask.explainResource('boards', 'Label/aa')).blockers).toEqual([])
    const { id } = await world().ask.rollBack('boards', first.id, '', 'ann')
    await world().ended('boards', id)
    expect(await world().ask.explainResource('boards', 'Label/aa')).toMatchObject({
      lastChange: { run: id, paths: ['color'] },
      blockers: [
        {
          reason: 'Pinned',
          next: expect.arrayContaining([
            expect.objectContaining({ cli: expect.stringContaining('gitmoor unpin boards') as string }),
          ]) as NextStep[],
        },
      ],
    })
  })

  test('shows its change, its dependencies and the stacks that share it', async () => {
    await world().push(yaml(label('aa'), bucket('raw', { labels: ['aa'] })))
    await world().create('boards', { protect: ['Bucket/raw'], ignore: [{ family: 'Bucket', path: 'description' }] })
    await world().create('others', { ignore: [{ family: 'Bucket', path: 'description' }] })
    expect(await world().ask.explainResource('boards', 'Bucket/raw')).toMatchObject({
      parts: ['LabelMapping/Bucket/raw/aa'],
      protected: true,
      ignored: ['description'],
      sharers: ['others'],
      owner: null,
      change: { action: 'create', fields: expect.arrayContaining([{ path: 'name', new: 'raw' }]) as unknown },
    })
    expect(await world().ask.explainResource('others', 'Bucket/raw')).toMatchObject({
      shared: true,
      owner: { stack: 'boards', address: 'Bucket/raw' },
    })
    expect(await world().ask.explainResource('boards', 'LabelMapping/Bucket/raw/aa')).toMatchObject({
      partOf: 'Bucket/raw',
    })
    expect(await refusal(world().ask.explainResource('boards', 'Bucket/other'))).toMatchObject({
      status: 'not-found',
      code: 'resources/unknown',
    })
  })

  test('shows its change as the plan does, with the names of list entries', async () => {
    const rest = `queries: [{query: 'x'}], geom: line, axes: [{name: x}, {name: y}]`
    const chart = (name: string, yPos: number): string =>
      `    - {kind: xy, name: ${name}, yPos: ${yPos}, width: 1, height: 1, ${rest}}\n`
    const board = (...charts: readonly string[]): string => `${dashboard('ops')}  charts:\n${charts.join('')}`
    await world().push(board(chart('CPU', 1)))
    await world().create('boards')
    await world().push(board(chart('Load', 0), chart('CPU', 1)))
    const { plan } = await world().sync('boards')
    const explained = await world().ask.explainResource('boards', 'Dashboard/ops')
    expect(explained.change).toEqual(plan!.changes[0])
    expect(explained).toMatchObject({
      lastChange: { paths: ['charts[0]'], fields: 1 },
      change: { shown: [{ path: 'charts[0]', entries: [{ path: 'charts[0]', name: 'Load' }] }] },
    })
  })

  test('shows the fields that differ on the target, and that it is gone', async () => {
    await world().push(yaml(bucket('raw'), bucket('kept'), label('aa')))
    await world().create('boards', { drift: 'report' })
    await world().ask.editResource('Bucket/raw', { description: 'handmade' }, {}, never)
    await world().ask.deleteResource('Label/aa', {}, never)
    const driftOf = async (address: string): Promise<ResourceDetail['drift']> =>
      (await world().ask.explainResource('boards', address)).drift
    expect(await driftOf('Bucket/raw')).toEqual({
      gone: false,
      fields: [{ path: 'description', applied: '', actual: 'handmade' }],
    })
    expect(await driftOf('Bucket/kept')).toEqual({ gone: false, fields: [] })
    expect(await driftOf('Label/aa')).toEqual({ gone: true, fields: [] })
  })

  test('shows no differences of ignored fields', async () => {
    await world().push(bucket('raw'))
    await world().create('boards', { ignore: [{ family: 'Bucket', path: 'description' }] })
    await world().ask.editResource('Bucket/raw', { description: 'handmade' }, {}, never)
    expect((await world().ask.explainResource('boards', 'Bucket/raw')).drift).toEqual({ gone: false, fields: [] })
  })

  test('of a stack that shares it shows the drift, also after its owner created it again', async () => {
    await world().push(bucket('raw'))
    await world().create('boards')
    await world().create('others', { drift: 'report' })
    await world().ask.deleteResource('Bucket/raw', { stack: 'boards', consent: 'Bucket/raw' }, never)
    expect((await world().ask.explainResource('others', 'Bucket/raw')).drift).toEqual({ gone: true, fields: [] })
    await world().sync('boards')
    expect((await world().ask.explainResource('others', 'Bucket/raw')).drift).toEqual({ gone: false, fields: [] })
    await world().ask.editResource('Bucket/raw', { description: 'handmade' }, { stack: 'boards' }, never)
    expect((await world().ask.explainResource('others', 'Bucket/raw')).drift?.fields).toHaveLength(1)
  })

  test('has no drift if its target cannot be read, and lists never read it', async () => {
    await world().push(label('aa'))
    await world().create('boards')
    let reads = 0
    world().platform.onCall(() => {
      reads++
      throw new Unavailable('The target is down.', { code: 'platform/unreachable' })
    })
    await world().ask.explainResources('boards', {})
    await world().ask.explainStack('boards')
    expect(reads).toBe(0)
    const explained = await world().ask.explainResource('boards', 'Label/aa')
    expect(explained).toMatchObject({ address: 'Label/aa', driftUnknown: 'The target is down.' })
    expect(explained.drift).toBeUndefined()
    expect(reads).toBe(1)
  })

  test('fails with a fault of gitmoor, and does not blame the target', async () => {
    await world().push(label('aa'))
    await world().create('boards')
    world().platform.onCall(() => {
      throw new Bug('A comparison is wrong.')
    })
    await expect(world().ask.explainResource('boards', 'Label/aa')).rejects.toThrow('A comparison is wrong.')
  })

  test('shows that nothing changed since it was adopted', async () => {
    await world().ask.createResource('Bucket', { name: 'raw', description: '', retentionRules: [] }, {}, never)
    await world().push(bucket('raw'))
    await world().create('boards')
    expect((await world().ask.explainResources('boards', {})).items).toMatchObject([
      { adopted: true, lastChange: { adopts: true } },
    ])
  })
})

describe('a blocker names what ends it', () => {
  test.each([
    ['approval', { apply: 'approval' }, ''],
    ['data-loss', {}, 'To keep the data, declare Bucket/raw again.'],
    ['protect', { protect: ['Bucket/raw'], dataLoss: 'allow' }, 'gitmoor stack release boards Bucket/raw.'],
    [
      'deletions',
      { maxDeletes: 0, dataLoss: 'allow' },
      'To keep the resources, declare them again, or restore the former path or value.',
    ],
  ] as const)('the rule %s', async (rule, settings, keep) => {
    await world().push(yaml(bucket('raw'), label('aa'), label('bb'), label('cc')))
    const first = await world().create('boards', settings)
    if (first.outcome === 'needs-approval') await world().ask.approvePlan('boards', first.plan!.digest, 'ann', never)
    await world().push(
      rule === 'deletions' ? yaml(bucket('raw'), label('aa')) : yaml(label('aa'), label('bb'), label('cc')),
    )
    const blocked = await world().sync('boards')
    const { blockers } = await world().ask.explainStack('boards')
    const hold = blockers.find(({ next }) => nextText(next).includes(keep))
    expect(hold).toMatchObject({ reason: 'NeedsApproval' })
    expect(hold!.message).toMatch(/^The plan needs approval(?:: | \()/)
    const digest = blocked.plan!.digest.slice(0, 12)
    expect(hold!.next).toContainEqual({
      verb: 'approve',
      args: { stack: 'boards', digest },
      cli: `gitmoor approve boards ${digest}`,
      purpose: 'Apply the plan',
    })
  })

  test('each resource that another stack owns, with its owner', async () => {
    await world().push(yaml(label('aa', { name: 'one' }), label('bb', { name: 'two' })), 'stable')
    await world().create('first', { ref: 'stable' })
    await world().push(
      yaml(label('cc', { name: 'one', color: '#ffffff' }), label('dd', { name: 'two', color: '#ffffff' })),
    )
    await world().create('second')
    const { blockers } = await world().ask.explainStack('second')
    expect(
      blockers.map(({ reason, message, next }) => [
        reason,
        /belongs to stack (first) \(as (Label\/..)\)/.exec(message)?.slice(1),
        nextText(next).includes('first'),
      ]),
    ).toEqual([
      ['Claimed', ['first', 'Label/aa'], true],
      ['Claimed', ['first', 'Label/bb'], true],
    ])
  })

  test('a failure that is tried again says when, and how to try now', async () => {
    await world().push(label('aa'))
    await world().create('boards')
    await world().server.close()
    world().clock.advance(60_000)
    await world()
      .ask.requestSync('boards', 'ann', never)
      .catch(() => {})
    const { blockers } = await world().ask.explainStack('boards')
    expect(blockers).toMatchObject([
      {
        reason: 'FetchFailed',
        next: expect.arrayContaining([
          expect.objectContaining({ cli: expect.stringContaining('gitmoor sync boards') as string }),
        ]) as NextStep[],
      },
    ])
  })
})

describe('a failure that goes on says since when', () => {
  const since = async (): Promise<string | null> => (await world().ask.explainStack('boards')).blockers[0]!.since
  const fail = (): Promise<unknown> => refusal(world().ask.requestSync('boards', 'ann', never))

  test('of polls: since the first one that failed', async () => {
    await world().push(label('aa'))
    await world().create('boards')
    await world().server.close()
    world().clock.advance(60_000)
    await fail()
    const first = new Date(world().clock.now()).toISOString()
    expect(await since()).toBe(first)
    world().clock.advance(3_600_000)
    await fail()
    expect(await since()).toBe(first)
    expect((await world().ask.getStack('boards')).status.since).toBe(first)
  })

  test.each(['a ref that does not exist', 'a server that is unreachable'])(
    'of %s: since the stack was created, if it was never reached',
    async (what) => {
      await world().push(label('aa'))
      if (what.includes('server')) await world().server.close()
      await world().create('boards', what.includes('ref') ? { ref: 'nowhere' } : {})
      const { createdAt } = await world().ask.getStack('boards')
      world().clock.advance(3_600_000)
      await fail()
      expect(await since()).toBe(createdAt)
      expect((await world().ask.getStack('boards')).status).toMatchObject({ state: 'Failed', since: createdAt })
    },
  )

  test('of runs: since the first one that failed', async () => {
    await world().push(label('aa').replace('kind: Label', 'kind: Lable'))
    await world().create('boards')
    const first = await since()
    expect(first).not.toBeNull()
    world().clock.advance(3_600_000)
    expect((await world().sync('boards')).outcome).toBe('failed')
    expect(await since()).toBe(first)
    await world().push(label('aa'))
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect((await world().ask.explainStack('boards')).blockers).toEqual([])
  })
})

describe('a blocker suggests only steps that help', () => {
  test('no setting, where more than half of it would be removed', async () => {
    await world().push(yaml(label('aa'), label('bb'), label('cc')))
    await world().create('boards')
    await world().push(label('aa'))
    await world().sync('boards')
    const { blockers, nextDriftCheckAt } = await world().ask.explainStack('boards')
    expect(blockers).toMatchObject([{ message: expect.stringContaining('more than half') as string }])
    expect(nextText(blockers[0]!.next)).toMatch(
      /^See it: gitmoor plan boards\. To keep the resources, declare them again, .*\. Apply the plan: gitmoor approve boards \S+$/,
    )
    expect(nextDriftCheckAt).toBeNull()
  })

  test('no sync, where a stack waits for its first push', async () => {
    const { stack } = await world().ask.createStack(world().spec('boards', { sources: [{ kind: 'inline' }] }), 'ann')
    const { blockers, nextRetryAt } = await until('it was polled', async () => {
      const explanation = await world().ask.explainStack(stack.name)
      return explanation.blockers.length > 0 && explanation
    })
    expect(blockers.map(({ next }) => nextText(next))).toEqual(['Push it: gitmoor stack push boards -f FILE'])
    expect(nextRetryAt).toBeNull()
  })

  test('one sentence after the other, where a setting is wrong', async () => {
    await world().push(label('aa'))
    await world().create('boards', { path: 'nowhere' })
    const { blockers } = await world().ask.explainStack('boards')
    expect(nextText(blockers[0]!.next)).toBe(
      'The repository has no folders. Push a commit that has the path. ' +
        'Or read another path: gitmoor stack set boards --path PATH',
    )
  })

  test('no sync, where the package is invalid', async () => {
    await world().push(label('aa').replace('kind: Label', 'kind: Lable'))
    await world().create('boards')
    await until('it failed', async () => (await world().ask.explainStack('boards')).blockers.length > 0)
    const { blockers } = await world().ask.explainStack('boards')
    expect(nextText(blockers[0]!.next)).toBe(
      'Did you mean "Label"? Push a fix or change a setting: gitmoor tries it at once. ' +
        'Check your files before you push them: gitmoor plan boards --dir DIR',
    )
  })

  test('no sync, where the target is no longer declared', async () => {
    await world().push(label('aa'))
    await world().create('boards', { target: 'other' })
    await world().restart({ targets: ['local'] })
    const { blockers } = await world().ask.explainStack('boards')
    expect(nextText(blockers[0]!.next)).toMatch(/Or delete the stack: gitmoor stack delete boards$/)
  })
})

test('the cause of a recovery is the reason of the interruption', () => {
  const cause = { kind: 'recovery', note: 'The target did not answer.' } as const
  expect(causeText(cause)).toBe('recovery: The target did not answer.')
})

test('a source without a channel shows when it was last observed', async () => {
  const directory = join(world().root, 'work', 'package')
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.yml'), label('aa'))
  await world().create('boards', { sources: [{ kind: 'directory', directory }] })
  const { follows } = await world().ask.explainStack('boards')
  expect(follows).toMatchObject([{ observedAt: new Date(world().clock.now()).toISOString() }])
})
