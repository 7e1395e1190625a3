// A stack from its making to its end.
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { StackSpec } from '../../../src/model/stacks/stack.js'
import { declareStacks } from '../../../src/stacks/changes/declare-stacks.js'
import { bucket, dashboard, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { never, useWorld } from '../../e2e/world.js'
import { answering } from '../../memory-git.js'
import { shortenWait } from '../../shorten-wait.js'

const world = useWorld()
const boards = yaml(label('red'), bucket('raw', { labels: ['red'] }), dashboard('ops'))

describe('create', () => {
  test('the first sync begins at once and its run can be waited for', async () => {
    const commit = await world().push(boards)
    const run = await world().create('boards')
    expect(run).toMatchObject({
      outcome: 'applied',
      cause: { kind: 'created', by: 'ann' },
      revision: `main@sha1:${commit}`,
    })
    const view = await world().ask.getStack('boards')
    expect(view).toMatchObject({
      sync: 'Synced',
      health: 'Healthy',
      managedBy: 'api',
      target: 'local',
      suspended: null,
      pinned: null,
    })
    expect(view.revision).toEqual({ observed: run.revision, attempted: run.revision, applied: run.revision })
    expect(world().condition(view)).toEqual({ reason: 'Applied', message: `main@${commit.slice(0, 7)} is applied.` })
    expect(view.resources.map(({ kind, name, displayName }) => `${kind} ${name} ${displayName}`)).toEqual([
      'Bucket raw raw',
      'Dashboard ops ops',
      'Label red red',
    ])
  })

  test('a name that is taken is refused, and says what to do', async () => {
    await world().push(boards)
    await world().create('boards')
    expect(await refusal(world().ask.createStack(world().spec('boards'), 'ann'))).toMatchObject({
      status: 'conflict',
      code: 'stacks/name-taken',
      message: 'There is a stack named boards already.',
      hint: expect.stringContaining('gitmoor stack set boards') as string,
    })
  })

  test('a target that is not declared is refused, and the declared ones are named', async () => {
    expect(await refusal(world().ask.createStack(world().spec('boards', { target: 'prod' }), 'ann'))).toMatchObject({
      status: 'not-found',
      code: 'stacks/target-unknown',
      hint: expect.stringContaining('local, other') as string,
    })
  })

  test('a ref that does not exist is answered with the command that follows another one', async () => {
    await world().push(boards, 'stable')
    const hint = expect.stringContaining('gitmoor stack set boards --ref ') as string
    const { problems } = await world().create('boards', { ref: 'stabel' })
    expect(problems).toMatchObject([{ hint }])
    expect(await world().ask.updateStack('boards', { source: { ref: 'stabl' } }, 'ann')).toMatchObject({
      error: { message: expect.stringContaining('no branch or tag "stabl"') as string, hint },
    })
  })

  test('with a repository that hangs for a minute, settings are taken without a plan', async () => {
    await world().restart({ runMs: 50_000 })
    await world().push(boards)
    await world().create('boards')
    world().server.intercept(() => new Promise(() => {}))
    shortenWait(60_000)
    const values = { region: 'eu' }
    expect(await world().ask.updateStack('boards', { values }, 'ann')).toMatchObject({
      stack: { spec: { values } },
      error: { message: 'There was no plan within a minute.', hint: 'See it: gitmoor plan boards' },
    })
    const { stack } = await world().ask.createStack(world().spec('more', { values }), 'ann')
    expect(stack.spec.values).toEqual(values)
  })

  test('new settings are stored with the run that applies them, or not at all', async () => {
    const declare = (changed: Partial<StackSpec>): Promise<unknown> =>
      declareStacks([world().spec('file', changed)], { sync: world().agent.sync, scheduler: world().agent })
    await world().push(boards)
    await world().create('boards')
    await declare({})
    const database = new Database(join(world().root, 'gitmoor.db'))
    database.exec("CREATE TRIGGER refuses BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT, 'no room'); END")
    database.close()
    await expect(world().ask.updateStack('boards', { maxDeletes: 3 }, 'ann')).rejects.toThrow()
    await declare({ maxDeletes: 3 })
    for (const name of ['boards', 'file'])
      expect((await world().ask.getStack(name)).spec.maxDeletes).toBe(world().spec(name).maxDeletes)
  })

  test('an address with a password is refused and not repeated', async () => {
    const sources = [{ kind: 'git' as const, url: 'https://ann:hunter2@example.com/boards', ref: 'main', path: '' }]
    const reported = await refusal(world().ask.createStack(world().spec('boards', { sources }), 'ann'))
    expect(reported.code).toMatch(/^source\//)
    expect(JSON.stringify(reported)).not.toContain('hunter2')
    expect(await world().ask.listStacks({})).toEqual({ items: [], next: null, total: 0 })
  })
})

describe('list and get', () => {
  test('stacks are listed by name, a page at a time', async () => {
    await world().push(boards)
    for (const name of ['c', 'a', 'b']) await world().create(name, { target: 'local' })
    const first = await world().ask.listStacks({ limit: 2 })
    expect(first.items.map(({ name }) => name)).toEqual(['a', 'b'])
    const rest = await world().ask.listStacks({ limit: 2, after: first.next! })
    expect(rest.items.map(({ name }) => name)).toEqual(['c'])
    expect(rest.next).toBeNull()
  })

  test('a stack is found by its id, too', async () => {
    await world().push(boards)
    await world().create('boards')
    const { id } = await world().ask.getStack('boards')
    expect((await world().ask.getStack(id)).name).toBe('boards')
  })

  test('an unknown name is not found, and the hint lists the stacks', async () => {
    expect(await refusal(world().ask.getStack('nothing'))).toMatchObject({
      status: 'not-found',
      code: 'stacks/unknown',
      message: 'There is no stack named nothing.',
      hint: 'List the stacks: gitmoor stack list',
    })
  })

  test('a typo in a name gets the stack that was probably meant', async () => {
    await world().push(boards)
    await world().create('boards')
    expect((await refusal(world().ask.getStack('bords'))).hint).toBe('Did you mean "boards"?')
  })
})

describe('set', () => {
  test('going from stable to beta shows the plan and then carries it out', async () => {
    await world().push(boards, 'stable')
    await world().push(yaml(boards, bucket('extra')), 'beta')
    await world().create('boards', { ref: 'stable' })
    const { plan, stack } = await world().ask.updateStack('boards', { source: { ref: 'beta' } }, 'ann')
    expect(plan?.counts).toEqual({ create: 1, update: 0, remove: 0, unchanged: 3 })
    expect(stack.sources[0]).toMatchObject({ ref: 'beta' })
    const run = await world().lastRun('boards')
    expect(run).toMatchObject({
      outcome: 'applied',
      cause: { kind: 'person', by: 'ann', note: 'settings changed: sources[0].ref stable → beta' },
    })
    expect(await world().names()).toContain('Bucket/extra')
  })

  test('a missing ref is set anyway, and the reason for the missing preview is reported', async () => {
    await world().push(boards, 'stable')
    await world().create('boards', { ref: 'stable' })
    const { plan, error } = await world().ask.updateStack('boards', { source: { ref: 'beta' } }, 'ann')
    expect(plan).toBeUndefined()
    expect(error).toMatchObject({ status: 'source', message: expect.stringContaining('beta') as string })
    expect((await world().lastRun('boards')).outcome).toBe('failed')
    expect(await world().names()).toContain('Bucket/raw')
  })

  test('settings that were changed while the remote did not answer are carried out when it does', async () => {
    await world().repository.commit({
      files: { 'a/package.yml': bucket('one'), 'b/package.yml': yaml(bucket('one'), bucket('two')) },
    })
    await world().create('boards', { path: 'a' })
    world().server.intercept(answering(503))
    await world().ask.updateStack('boards', { source: { path: 'b' } }, 'ann')
    expect((await world().lastRun('boards')).outcome).toBe('failed')
    world().server.intercept(undefined)
    const before = await world().lastRun('boards')
    world().clock.advance(70_000)
    expect((await world().runAfter('boards', before.id)).outcome).toBe('applied')
    expect(await world().names()).toEqual(['Bucket/one', 'Bucket/two'])
  })

  test('the target of a stack cannot change', async () => {
    await world().push(boards)
    await world().create('boards')
    expect(await refusal(world().ask.updateStack('boards', { target: 'other' }, 'ann'))).toMatchObject({
      status: 'conflict',
      hint: expect.stringMatching(/Create another stack .*\n.* gitmoor stack delete boards --uninstall$/) as string,
    })
  })

  test('a changed setting does not end a rollback', async () => {
    await world().push(bucket('one'))
    const first = await world().create('boards')
    await world().push(yaml(bucket('one'), bucket('two')))
    await world().sync('boards')
    const { id } = await world().ask.rollBack('boards', first.id, 'too much', 'ann')
    await world().ask.approvePlan('boards', (await world().ended('boards', id)).plan!.digest, 'ann', never)
    expect(await world().names()).toEqual(['Bucket/one'])
    const before = await world().lastRun('boards')
    await world().ask.updateStack('boards', { maxDeletes: 3 }, 'ann')
    await world().runAfter('boards', before.id)
    expect(await world().names()).toEqual(['Bucket/one'])
    expect((await world().ask.getStack('boards')).pinned).toMatchObject({ run: first.id })
  })
})

describe('delete', () => {
  test('a stack is deleted and its resources stay', async () => {
    await world().push(boards)
    await world().create('boards')
    expect(await world().ask.deleteStack('boards', { by: 'ann' }, never)).toEqual({})
    expect(await refusal(world().ask.getStack('boards'))).toMatchObject({ status: 'not-found', code: 'stacks/unknown' })
    const live = await world().live()
    expect(live['Bucket/raw']).toMatchObject({ stack: null })
    expect(Object.keys(live)).toHaveLength(4)
  })

  test('uninstall removes everything, data included, with the digest of its plan as consent', async () => {
    await world().push(boards)
    await world().create('boards')
    const plan = await world().ask.previewPlan('boards', { uninstall: true }, never)
    expect(plan.counts).toEqual({ create: 0, update: 0, remove: 3, unchanged: 0 })
    expect(plan.needsApproval.map(({ rule }) => rule).sort()).toEqual(['data-loss', 'deletions'])
    const { run } = await world().ask.deleteStack('boards', { uninstall: plan.digest, by: 'ann' }, never)
    expect(run).toMatchObject({ outcome: 'applied', intent: 'delete' })
    expect(await world().live()).toEqual({})
    expect(await refusal(world().ask.getStack('boards'))).toMatchObject({ status: 'not-found' })
  })

  test('uninstall with the digest of another plan is stale and removes nothing', async () => {
    await world().push(boards)
    await world().create('boards')
    const plan = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await world().push(yaml(boards, bucket('extra')))
    await world().sync('boards')
    expect(
      await refusal(world().ask.deleteStack('boards', { uninstall: plan.digest, by: 'ann' }, never)),
    ).toMatchObject({
      status: 'stale',
      code: 'plan/stale',
    })
    expect(await world().names()).toContain('Bucket/raw')
    expect((await world().ask.getStack('boards')).resources).toHaveLength(4)
  })

  test('uninstall of what a person removed already succeeds', async () => {
    await world().push(boards)
    await world().create('boards')
    for (const which of ['Bucket/raw', 'Dashboard/ops', 'Label/red'])
      await world().ask.deleteResource(which, { stack: 'boards', consent: which }, never)
    const plan = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await world().ask.deleteStack('boards', { uninstall: plan.digest, by: 'ann' }, never)
    expect(await world().live()).toEqual({})
  })
})
