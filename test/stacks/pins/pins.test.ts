// Roll backs, suspension, and waiting.
import { describe, expect, test } from 'vitest'
import { label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { refuseRuns } from '../../e2e/refuse-runs.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { answering } from '../../memory-git.js'

const world = useWorld()
const packages = [1, 2, 3, 4].map((n) => yaml(...Array.from({ length: n }, (_, i) => label(`l${i + 1}`))))

/** Two revisions, one after the other; the run that applied the first. */
async function twoRevisions(): Promise<{ readonly first: string; readonly commits: readonly string[] }> {
  const commits = [await world().push(packages[0]!)]
  const run = await world().create('boards', { maxDeletes: 10 })
  commits.push(await world().push(packages[1]!))
  await world().sync('boards')
  return { first: run.id, commits }
}

describe('rollback', () => {
  test('the stored files of the run are applied again, and the remote is not needed', async () => {
    const { first } = await twoRevisions()
    world().server.intercept(answering(503))
    const { id } = await world().ask.rollBack('boards', first, 'bad boards', 'ann')
    expect(await world().ended('boards', id)).toMatchObject({
      outcome: 'applied',
      cause: { kind: 'person', by: 'ann', note: `roll back to run ${first}: bad boards` },
    })
    expect(await world().names()).toEqual(['Label/l1'])
    expect((await world().ask.getStack('boards')).pinned).toMatchObject({ run: first, by: 'ann', why: 'bad boards' })
    expect((await world().ask.explainStack('boards')).blockers).toMatchObject([{ reason: 'Pinned' }])
  })

  test('pins nothing if its run cannot be stored, and stops the run in progress once it is', async () => {
    const { first } = await twoRevisions()
    await refuseRuns(world().root, () => world().ask.rollBack('boards', first, '', 'ann'))
    expect((await world().ask.getStack('boards')).pinned).toBeNull()

    await world().push(packages[2]!)
    const { reached, release } = world().platform.holdCalls('read')
    const { id: newer } = await world().ask.requestSync('boards', 'ann', never)
    await reached
    const { id } = await world().ask.rollBack('boards', first, '', 'ann')
    for (let read = 0; read < 20; read++) await world().ask.getStack('boards') // the run is stopping by then
    release()
    expect(await world().ended('boards', newer)).toMatchObject({ outcome: 'superseded' })
    expect(await world().ended('boards', id)).toMatchObject({ outcome: 'applied' })
    expect(await world().names()).toEqual(['Label/l1'])
  })

  test('its plan is shown before, without the remote, and changes nothing', async () => {
    const { first } = await twoRevisions()
    world().server.intercept(answering(503))
    const { changes, revision } = await world().ask.previewPlan('boards', { run: first }, never)
    expect(changes).toMatchObject([{ address: 'Label/l2', action: 'remove', reason: 'rollback' }])
    expect(revision).toBe((await world().ask.getRun('boards', first)).revision)
    expect((await world().ask.getStack('boards')).pinned).toBeNull()
    expect(await world().names()).toHaveLength(2)
    expect(await refusal(world().ask.previewPlan('boards', { run: '999' }, never))).toMatchObject({
      status: 'not-found',
      code: 'runs/unknown',
      hint: 'List its runs: gitmoor history boards',
    })
  })

  test('to a run that uninstalled the stack is refused, because it has no package', async () => {
    await twoRevisions()
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    const { run } = await world().ask.uninstallStack('boards', { digest, by: 'ann' }, never)
    await world().ask.resumeStack('boards', 'ann')
    await world().runAfter('boards', run.id)
    expect(await refusal(world().ask.rollBack('boards', run.id, '', 'ann'))).toMatchObject({
      status: 'usage',
      message: `Cannot roll back to run ${run.id}: it uninstalled the stack, so it has no package to return to.`,
      hint: 'Choose a run that applied a package: gitmoor history boards',
    })
  })

  test('it ends with a revision that was never attempted, and stays when the ref moves back to one that was', async () => {
    const { first, commits } = await twoRevisions()
    await world().ended('boards', (await world().ask.rollBack('boards', first, '', 'ann')).id)
    await world().repository.branch('main', commits[0]!)
    await world().sync('boards')
    await world().repository.branch('main', commits[1]!)
    await world().sync('boards')
    expect(await world().names()).toEqual(['Label/l1'])
    expect((await world().ask.getStack('boards')).pinned).not.toBeNull()
    await world().push(packages[2]!)
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(await world().names()).toHaveLength(3)
    expect((await world().ask.getStack('boards')).pinned).toBeNull()
  })

  test('a commit that changes nothing below the paths of the stack does not end it', async () => {
    const at = (path: string, text: string): Promise<string> =>
      world().repository.commit({ files: { [`${path}/package.yml`]: text } })
    await at('boards', packages[0]!)
    const first = await world().create('boards', { path: 'boards', maxDeletes: 10 })
    await at('boards', packages[1]!)
    await world().sync('boards')
    await world().ended('boards', (await world().ask.rollBack('boards', first.id, 'bad boards', 'ann')).id)
    for (const text of packages.slice(0, 2)) {
      const commit = await at('other', text)
      await world().sync('boards')
      expect((await world().store.stacks.get('boards'))?.observed?.revision).toContain(commit)
      expect((await world().ask.getStack('boards')).pinned).toMatchObject({ run: first.id })
    }
    expect(await world().names()).toEqual(['Label/l1'])
    await at('boards', packages[2]!)
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(await world().names()).toHaveLength(3)
    expect((await world().ask.getStack('boards')).pinned).toBeNull()
  })

  test('it stays while a new commit cannot be fetched', async () => {
    const { first } = await twoRevisions()
    await world().ended('boards', (await world().ask.rollBack('boards', first, '', 'ann')).id)
    await world().push(packages[2]!)
    world().server.intercept((request) => (request.kind === 'fetch' ? answering(503)(request) : undefined))
    expect(await refusal(world().ask.requestSync('boards', 'ann', never))).toMatchObject({ code: 'source/unreachable' })
    expect((await world().ask.getStack('boards')).pinned).toMatchObject({ run: first })
    world().server.intercept(undefined)
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect((await world().ask.getStack('boards')).pinned).toBeNull()
  })

  test('drift is put right to what is pinned', async () => {
    const { first } = await twoRevisions()
    const { id } = await world().ask.rollBack('boards', first, '', 'ann')
    await world().ended('boards', id)
    await world().ask.deleteResource('Label/l1', { stack: 'boards' }, never)
    world().clock.advance(330_000)
    expect(await world().runAfter('boards', id)).toMatchObject({ outcome: 'applied', cause: { kind: 'drift' } })
    expect(await world().names()).toEqual(['Label/l1'])
  })

  test('unpin of a stack whose channel is pinned names the command for the channel', async () => {
    await twoRevisions()
    await world().ask.pinChannel('main', { why: 'audit', by: 'ann' }, never)
    const { status } = await world().ask.getStack('boards')
    expect(status.state).toBe('Pinned')
    expect(await refusal(world().ask.unpinStack('boards', 'ann'))).toMatchObject({
      status: 'conflict',
      message: expect.stringMatching(
        /^boards is not pinned, but its channel is\. The channel main is pinned at [0-9a-f]{7} by ann: audit\.$/,
      ) as string,
      hint: expect.stringMatching(/gitmoor channel unpin \S+#main$/) as string,
    })
  })

  test('unpin continues with the current commit of the ref', async () => {
    const { first } = await twoRevisions()
    await world().ended('boards', (await world().ask.rollBack('boards', first, '', 'ann')).id)
    const { run } = await world().ask.unpinStack('boards', 'ann')
    expect((await world().ended('boards', run!)).outcome).toBe('applied')
    expect(await world().names()).toHaveLength(2)
    expect(await refusal(world().ask.unpinStack('boards', 'ann'))).toMatchObject({ status: 'conflict' })
  })

  test('neither unpin nor resume changes the stack if their run cannot be stored', async () => {
    const { first } = await twoRevisions()
    await world().ended('boards', (await world().ask.rollBack('boards', first, '', 'ann')).id)
    await refuseRuns(world().root, () => world().ask.unpinStack('boards', 'ann'))
    expect((await world().ask.getStack('boards')).pinned).not.toBeNull()
    await world().ask.suspendStack('boards', 'the audit', undefined, 'ann')
    await refuseRuns(world().root, () => world().ask.resumeStack('boards', 'ann'))
    expect((await world().ask.getStack('boards')).suspended).not.toBeNull()
  })

  test('to a run that did not apply is refused', async () => {
    await twoRevisions()
    const unchanged = await world().sync('boards')
    expect(await refusal(world().ask.rollBack('boards', unchanged.id, '', 'ann'))).toMatchObject({
      status: 'usage',
      message: expect.stringContaining('it ended unchanged') as string,
    })
    expect(await refusal(world().ask.rollBack('boards', '999', '', 'ann'))).toMatchObject({ code: 'runs/unknown' })
  })
})

describe('suspend', () => {
  test('a suspended stack writes nothing, observes new revisions, and continues when it is resumed', async () => {
    await world().push(packages[0]!)
    await world().create('boards')
    await world().ask.suspendStack('boards', 'the audit', undefined, 'ann')
    world().platform.reset()
    await world().push(packages[1]!)
    world().clock.advance(70_000)
    await until('the commit is seen', async () => (await world().ask.getStack('boards')).sync === 'OutOfSync')
    expect(await refusal(world().ask.requestSync('boards', 'ann', never))).toMatchObject({
      status: 'locked',
      code: 'stacks/suspended',
    })
    expect(world().platform.writes).toEqual([])
    await world().ask.resumeStack('boards', 'ann')
    expect((await world().lastRun('boards')).outcome).toBe('applied')
    expect(await world().names()).toHaveLength(2)
  })

  test('of a failed stack does not outlive a fix: resumed, it no longer has the failure', async () => {
    await world().push('kind: Label\n  broken: [')
    await world().create('boards')
    await world().ask.suspendStack('boards', 'the fix', undefined, 'ann')
    await world().push(packages[1]!)
    world().clock.advance(70_000)
    await until('the fix is queued', async () => (await world().ask.getStack('boards')).lastRun!.outcome === null)
    const { status } = await world().ask.resumeStack('boards', 'ann')
    expect(status.state).not.toBe('Failed')
    expect((await world().lastRun('boards')).outcome).toBe('applied')
  })

  test('it ends by itself at its time', async () => {
    await world().push(packages[0]!)
    const first = await world().create('boards', { intervalMs: 600_000 })
    const view = await world().ask.suspendStack('boards', 'lunch', 3_600_000, 'ann')
    expect(view.suspended).toMatchObject({
      why: 'lunch',
      by: 'ann',
      until: new Date(world().clock.now() + 3_600_000).toISOString(),
    })
    world().clock.advance(3_600_001)
    expect(await world().runAfter('boards', first.id)).toMatchObject({
      outcome: 'unchanged',
      cause: { kind: 'schedule' },
    })
    expect((await world().ask.getStack('boards')).suspended).toBeNull()
  })

  test('stops a run, records its changes in progress, and resuming finishes it', async () => {
    await world().push(packages[3]!)
    const { reached, release } = world().platform.holdCalls('create')
    const { run } = await world().ask.createStack(world().spec('boards'), 'ann')
    await reached
    const suspended = world().ask.suspendStack('boards', 'stop', undefined, 'ann')
    release()
    await suspended
    const made = await world().names()
    expect((await world().ended('boards', run)).outcome).toMatch(/cancelled|applied/)
    await world().restart()
    world().clock.advance(700_000)
    expect(await world().names()).toEqual(made)
    await world().ask.resumeStack('boards', 'ann')
    await until('it is synced', async () => (await world().ask.getStack('boards')).sync === 'Synced')
    expect(await world().names()).toHaveLength(4)
  })

  test('what is not suspended cannot be resumed', async () => {
    await world().push(packages[0]!)
    await world().create('boards')
    expect(await refusal(world().ask.resumeStack('boards', 'ann'))).toMatchObject({ status: 'conflict' })
  })
})

describe('a newer revision', () => {
  test('supersedes a run in progress, and reverts nothing', async () => {
    await world().push(packages[1]!)
    const { reached, release } = world().platform.holdCalls('create')
    const { run } = await world().ask.createStack(world().spec('boards'), 'ann')
    await reached
    await world().push(packages[2]!)
    const synced = world().ask.requestSync('boards', 'ann', never)
    await until(
      'the commit is seen',
      async () => Number((await world().ask.getStack('boards')).lastRun?.id) > Number(run),
    )
    release()
    expect((await world().ended('boards', run)).outcome).toMatch(/superseded|applied/)
    expect((await world().ended('boards', (await synced).id)).outcome).toBe('applied')
    expect(await world().names()).toHaveLength(3)
  })

  test('is not delayed by a fetch that hangs', async () => {
    await world().push(packages[0]!)
    await world().create('boards')
    const bad = await world().push(packages[1]!)
    let hung = (): void => {}
    const hangs = new Promise<void>((resolve) => (hung = resolve))
    world().server.intercept(({ commit }) => {
      if (commit !== bad) return
      hung()
      return new Promise(() => {})
    })
    const look = world().ask.requestSync('boards', 'ann', never)
    await hangs
    await world().push(packages[2]!)
    await look
    world().clock.advance(70_000)
    await until('the fix is applied', async () => (await world().names()).length === 3)
  })
})

describe('wait', () => {
  test('it ends when the revision is applied, named by seven digits', async () => {
    await world().push(packages[0]!)
    await world().create('boards')
    const commit = await world().push(packages[1]!)
    const view = await world().ask.waitForStack('boards', { revision: commit.slice(0, 7), timeoutMs: 60_000 }, never)
    expect(view.revision.applied).toBe(`main@sha1:${commit}`)
  })

  test('a timeout names the state of the stack and the next command', async () => {
    await world().push(packages[0]!)
    await world().create('boards')
    const reported = await refusal(world().ask.waitForStack('boards', { revision: 'abcdef0', timeoutMs: 50 }, never))
    expect(reported).toMatchObject({ status: 'timeout', hint: 'See why: gitmoor explain boards' })
    expect(reported.message).toContain('boards is not synced at abcdef0 after 0.05 s. ')
  })

  test('a source that cannot be seen is not taken for one without news', async () => {
    await world().push(packages[0]!)
    await world().create('boards')
    await world().push(packages[1]!)
    world().server.intercept(answering(500))
    const reported = await refusal(world().ask.waitForStack('boards', { timeoutMs: 300 }, never))
    expect(reported).toMatchObject({ status: 'timeout', message: expect.stringContaining('500') as string })
  })
})

describe('history', () => {
  test('lists runs newest first, in pages, with cause and outcome', async () => {
    await twoRevisions()
    const page = await world().ask.listRuns('boards', { limit: 1 })
    expect(page.items).toMatchObject([{ outcome: 'applied', cause: { kind: 'commit', ref: 'main' } }])
    const rest = await world().ask.listRuns('boards', { limit: 5, after: page.next! })
    expect(rest).toMatchObject({ items: [{ outcome: 'applied', cause: { kind: 'created' } }], next: null })
    expect(await refusal(world().ask.getRun('boards', '12345'))).toMatchObject({
      status: 'not-found',
      code: 'runs/unknown',
    })
  })

  test('shows the cause of a run in words', async () => {
    await twoRevisions()
    const { text, lastRun } = await world().ask.explainStack('boards')
    expect(lastRun).toMatch(
      /^Run \d+ created 1, updated 0, removed 0\. Cause: new commit on main from [0-9a-f]{7} to [0-9a-f]{7}\.$/,
    )
    expect(text).toContain('Nothing blocks the stack.')
  })
})

describe('channels', () => {
  test('list every move, newest first, with the former commit', async () => {
    const one = await world().push(packages[0]!, 'stable')
    await world().create('boards', { ref: 'stable' })
    const two = await world().push(packages[1]!, 'stable')
    await world().sync('boards')
    await world().repository.remove('refs/tags/stable')
    await refusal(world().ask.requestSync('boards', 'ann', never))
    await world().repository.tag('stable', one)
    await world().sync('boards')
    const { items } = await world().ask.listMoves('stable', {})
    expect(items.map(({ from, to }) => [from?.commit ?? null, to?.commit ?? null])).toEqual([
      [null, one],
      [two, null],
      [one, two],
      [null, one],
    ])
    expect((await world().ask.listChannels({})).items).toMatchObject([
      { name: `${world().url}#stable`, commit: one, stacks: ['boards'] },
    ])
    expect(await refusal(world().ask.listMoves('nothing', {}))).toMatchObject({
      status: 'not-found',
      code: 'channels/unknown',
    })
  })
})
