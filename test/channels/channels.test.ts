// Channels through the whole agent: what policies block, what people decide, and that nothing vetoed is written.
import type { NextStep } from '../../src/model/stacks/blocker.js'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { timeText } from '../../src/lib/text/time-text.js'
import { Rejected } from '../../src/model/errors.js'
import { releaseAtOnce, type ChannelPolicy } from '../../src/channel/channel-policy.js'
import type { ChannelView, MoveView } from '../../src/views/channel.js'
import type { RunView } from '../../src/views/run.js'
import { deferred } from '../api/deferred.js'
import { collectGarbage } from '../collect-garbage.js'
import { bucket, label, yaml } from '../e2e/packages.js'
import { refusal } from '../e2e/refusal.js'
import { refuseRuns } from '../e2e/refuse-runs.js'
import { until } from '../e2e/until.js'
import { never, useWorld } from '../e2e/world.js'
import { answering } from '../memory-git.js'

const world = useWorld()
const minute = 60_000
const packages = [1, 2, 3, 4].map((n) => yaml(...Array.from({ length: n }, (_, i) => label(`l${i + 1}`))))

function declare(...policies: readonly Partial<ChannelPolicy>[]): readonly ChannelPolicy[] {
  const all = policies.map((policy) => ({ ...releaseAtOnce, ...policy }))
  world().agent.setChannelPolicies(all)
  return all
}

/** A stack that follows the tag stable, at the first package. Gives its commit. */
async function follow(name = 'boards'): Promise<string> {
  const commit = await world().push(packages[0]!, 'stable')
  await world().create(name, { ref: 'stable' })
  return commit
}

/** The tag moves to the nth package. Gives its commit. */
function move(n: number): Promise<string> {
  return world().push(packages[n - 1]!, 'stable')
}

/** The tag moves to the second package and back; a sync sees each move. Gives the first commit. */
async function movedBack(): Promise<string> {
  const first = await follow()
  await move(2)
  await world().sync('boards')
  await world().repository.tag('stable', first)
  await world().sync('boards')
  return first
}

async function channel(): Promise<ChannelView> {
  return (await world().ask.listChannels({})).items[0]!
}

async function newest(): Promise<MoveView> {
  return (await channel()).newest!
}

async function labels(): Promise<number> {
  return (await world().names()).length
}

async function condition(type: string): Promise<unknown> {
  return (await world().ask.getStack('boards')).conditions.find((one) => one.type === type)
}

async function blockers(): Promise<unknown> {
  return (await world().ask.explainStack('boards')).blockers
}

const because = { why: 'the chart is wrong', by: 'ann' }

describe('a cool-down', () => {
  test('delays a move, reports until when, and releases it without a poll', async () => {
    declare({ ref: 'stable', minAgeMs: 15 * minute })
    await follow()
    await move(2)
    await world().sync('boards')
    const end = new Date(world().clock.now() + 15 * minute).toISOString()
    expect(await newest()).toMatchObject({ state: 'waiting', blockedBy: 'minAge', until: end })
    const message = expect.stringContaining(timeText(Date.parse(end))) as string
    expect(await blockers()).toMatchObject([{ reason: 'MoveWaiting', message }])
    expect(await condition('Reconciling')).toMatchObject({ status: true, reason: 'MoveWaiting' })
    expect(await condition('Ready')).toMatchObject({ status: true })
    expect(await labels()).toBe(1)
    world().server.intercept(answering(503))
    const { lastRun } = await world().ask.getStack('boards')
    world().clock.advance(15 * minute)
    world().server.intercept(undefined)
    expect(await world().runAfter('boards', lastRun!.id)).toMatchObject({
      outcome: 'applied',
      cause: { kind: 'tag-moved' },
    })
    expect(await labels()).toBe(2)
  })

  test('cannot be bypassed by another spelling of the ref', async () => {
    declare({ ref: 'stable', minAgeMs: 15 * minute })
    await follow()
    await move(2)
    await world().sync('boards')
    await world().ask.updateStack('boards', { source: { ref: 'refs/tags/stable' } }, 'ann')
    await world().sync('boards')
    expect(await labels()).toBe(1)
    expect(await blockers()).toMatchObject([{ reason: 'MoveWaiting' }])
    world().clock.advance(16 * minute)
    await until('it is applied', async () => (await labels()) === 2)
  })

  test('continues after a restart, even if the remote is unreachable', async () => {
    const channels = declare({ minAgeMs: 15 * minute })
    await follow()
    const to = await move(2)
    await world().sync('boards')
    await world().agent.sync.source.fetch(world().url, `sha1:${to}`, never)
    world().server.intercept(answering(503))
    await world().restart({ channels })
    expect(await newest()).toMatchObject({ state: 'waiting' })
    world().clock.advance(15 * minute)
    await until('it is applied', async () => (await labels()) === 2)
  })

  test('is shortened by a changed policy, without a restart', async () => {
    declare({ minAgeMs: 15 * minute })
    await follow()
    await move(2)
    await world().sync('boards')
    declare({ minAgeMs: 0 })
    await until('it is applied', async () => (await labels()) === 2)
  })
})

describe('a blocked move', () => {
  test('is named in the plan for the released commit, and keeps `wait` from success', async () => {
    const first = await follow()
    await move(2)
    await world().sync('boards')
    await world().ask.vetoMove((await newest()).id, because)
    await until('it went back', async () => (await labels()) === 1)
    await world().lastRun('boards')
    const plan = await world().ask.previewPlan('boards', {}, never)
    expect(plan.revision).toBe(`stable@sha1:${first}`)
    expect(plan.blockers).toMatchObject([
      { reason: 'MoveVetoed', message: expect.stringContaining('the chart is wrong') as string },
    ])
    const waiting = world().ask.waitForStack('boards', { timeoutMs: 60_000 }, never)
    expect(await refusal(waiting)).toMatchObject({
      status: 'needs-approval',
      message: expect.stringContaining(`boards stays at stable@${first.slice(0, 7)}: Move `) as string,
    })
    await world().ask.waitForStack('boards', { revision: first, timeoutMs: 60_000 }, never)
    await move(3)
    await world().ask.waitForStack('boards', { timeoutMs: 60_000 }, never)
    expect(await world().ask.previewPlan('boards', {}, never)).toMatchObject({ blockers: [] })
  })

  test('that a pin blocks is named, too, and a pin at the newest commit keeps nothing from success', async () => {
    const first = await follow()
    await world().ask.pinChannel('stable', because, never)
    await world().ask.waitForStack('boards', { timeoutMs: 60_000 }, never)
    await move(2)
    const waiting = world().ask.waitForStack('boards', { timeoutMs: 60_000 }, never)
    expect(await refusal(waiting)).toMatchObject({
      status: 'needs-approval',
      message: expect.stringContaining(`pinned at ${first.slice(0, 7)}`) as string,
    })
    expect((await world().ask.previewPlan('boards', {}, never)).blockers).toMatchObject([{ reason: 'ChannelPinned' }])
  })

  test('that waits for a time is awaited', async () => {
    declare({ minAgeMs: 15 * minute })
    await follow()
    const second = await move(2)
    await world().sync('boards')
    const soon = await refusal(world().ask.waitForStack('boards', { timeoutMs: 50 }, never))
    expect(soon).toMatchObject({ status: 'timeout', message: expect.stringContaining('waits until') as string })
    const waiting = world().ask.waitForStack('boards', { timeoutMs: 60_000 }, never)
    world().clock.advance(15 * minute)
    expect((await waiting).revision.applied).toBe(`stable@sha1:${second}`)
  })
})

describe('a move that goes back', () => {
  test('waits for approval, is applied when approved, and the decision has who and why', async () => {
    declare({ moves: 'approve-back' })
    const first = await movedBack()
    const blocked = await newest()
    expect(blocked).toMatchObject({ state: 'blocked', blockedBy: 'approval', direction: 'back' })
    expect(await labels()).toBe(2)
    expect(await blockers()).toMatchObject([
      {
        reason: 'MoveNeedsApproval',
        next: expect.arrayContaining([
          expect.objectContaining({ cli: expect.stringContaining(`gitmoor channel approve ${blocked.id}`) as string }),
        ]) as NextStep[],
      },
    ])
    expect(await condition('Stalled')).toMatchObject({ status: true, reason: 'MoveNeedsApproval' })
    const waiting = world().ask.waitForStack('boards', { revision: first, timeoutMs: 60_000 }, never)
    expect(await refusal(waiting)).toMatchObject({
      status: 'needs-approval',
      hint: expect.stringContaining(blocked.id) as string,
    })
    expect(await world().ask.approveMove(blocked.id, { why: 'a roll back', by: 'ann' })).toMatchObject({
      state: 'released',
      decision: { kind: 'approve', by: 'ann', why: 'a roll back' },
    })
    await until('it is applied', async () => (await labels()) === 1)
    expect((await world().ask.listDecisions('stable', {})).items).toMatchObject([
      { kind: 'approve', move: blocked.id, by: 'ann' },
    ])
  })

  test('is refused by forward-only, appears in the log, and no approval releases it', async () => {
    declare({ moves: 'forward-only' })
    const first = await follow()
    await move(2)
    await world().sync('boards')
    await world().repository.remove('refs/tags/stable')
    await refusal(world().ask.requestSync('boards', 'ann', never))
    await world().repository.tag('stable', first)
    await world().sync('boards')
    const { id, state } = await newest()
    expect(state).toBe('refused')
    expect(await labels()).toBe(2)
    expect(world().log).toContainEqual(expect.objectContaining({ level: 'warn', message: 'move blocked' }))
    expect(await refusal(world().ask.approveMove(id, because))).toMatchObject({
      status: 'needs-approval',
      code: 'stacks/not-approvable',
    })
  })

  test('is like any other without a policy', async () => {
    await movedBack()
    expect(await labels()).toBe(1)
    await until('it is known that it goes back', async () => (await newest()).direction === 'back')
    expect((await newest()).facts).toMatchObject({ tag: null, signature: { state: 'none' } })
  })
})

describe('a required signature', () => {
  test('refuses an unsigned first move: nothing is fetched, and the stack waits', async () => {
    declare({ signedBy: ['ops'] })
    await world().push(packages[0]!, 'stable')
    const { run } = await world().ask.createStack(world().spec('boards', { ref: 'stable' }), 'ann')
    await until('it is refused', async () => (await world().ask.listChannels({})).items[0]?.newest?.state === 'refused')
    expect(await condition('Ready')).toMatchObject({ status: false, reason: 'Waiting' })
    expect(await world().ask.getRun('boards', run)).toMatchObject({
      outcome: null,
      blockers: [{ reason: 'Channel', until: null }],
    })
    expect(await refusal(world().ask.requestSync('boards', 'ann', never))).toMatchObject({
      status: 'needs-approval',
      code: 'source/not-released',
    })
    expect(await refusal(world().ask.previewPlan('boards', {}, never))).toMatchObject({ status: 'needs-approval' })
    expect(await refusal(world().ask.waitForStack('boards', { timeoutMs: 60_000 }, never))).toMatchObject({
      status: 'needs-approval',
    })
    const { checks } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'stack boards')).toMatchObject({
      state: 'warning',
      next: expect.stringContaining('Let ops sign') as string,
    })
    expect(await labels()).toBe(0)
    declare()
    expect((await world().ended('boards', run)).outcome).toBe('applied')
  })

  /** What a client gets that waits for the first run to leave the queue. */
  const waited = (run: string, waitMs: number): Promise<RunView> =>
    world().ask.getRun('boards', run, { waitMs, phase: 'queued', signal: never })
  const refused = { phase: 'queued', blockers: [{ reason: 'Channel', until: null }] }

  test('ends the wait of a client that begins after it was refused', async () => {
    declare({ signedBy: ['ops'] })
    await world().push(packages[0]!, 'stable')
    const { run } = await world().ask.createStack(world().spec('boards', { ref: 'stable' }), 'ann')
    await until('it is refused', async () => (await world().ask.listChannels({})).items[0]?.newest?.state === 'refused')
    const waits = waited(run, 200)
    await pause(50)
    collectGarbage()
    expect(await waits).toMatchObject(refused)
  })

  test('ends the wait of a client that began before it was refused, as soon as it is', async () => {
    declare({ signedBy: ['ops'] })
    await world().push(packages[0]!, 'stable')
    const open = deferred<void>()
    world().server.intercept(() => open.promise)
    const { run } = await world().ask.createStack(world().spec('boards', { ref: 'stable' }), 'ann')
    const waits = waited(run, 60_000)
    await pause(50)
    open.resolve()
    expect(await waits).toMatchObject(refused)
  })

  test('ends the wait of a client whose stack began to follow while it was refused for another', async () => {
    declare({ signedBy: ['ops'] })
    await world().push(packages[0]!, 'stable')
    const [reached, open] = [deferred<void>(), deferred<void>()]
    world().server.intercept(({ kind }) => {
      if (kind === 'list') return
      reached.resolve()
      return open.promise
    })
    await world().ask.createStack(world().spec('first', { ref: 'stable' }), 'ann')
    await reached.promise
    const { run } = await world().ask.createStack(world().spec('boards', { ref: 'stable' }), 'ann')
    const waits = waited(run, 60_000)
    await pause(50)
    open.resolve()
    expect(await waits).toMatchObject(refused)
  })

  test('cannot be bypassed by pinning an unsigned commit, nor by another name of the ref', async () => {
    const first = await follow()
    const second = await move(2)
    declare({ ref: 'stable', signedBy: ['ops'] })
    expect(await refusal(world().ask.pinChannel('stable', { at: second, ...because }, never))).toMatchObject({
      code: 'stacks/unsigned',
    })
    expect((await world().ask.previewPlan('boards', { ref: 'refs/tags/stable' }, never)).revision).toBe(
      `refs/tags/stable@sha1:${first}`,
    )
    await world().ask.pinChannel('stable', { at: first, ...because }, never)
  })

  test('can be planned by the digits of its commit that are shown', async () => {
    await follow()
    declare({ ref: 'stable', signedBy: ['ops'] })
    const second = await move(2)
    await world().sync('boards')
    const { revision, changes } = await world().ask.previewPlan('boards', { ref: second.slice(0, 7) }, never)
    expect(revision).toContain(`sha1:${second}`)
    expect(changes).not.toEqual([])
    expect(await refusal(world().ask.previewPlan('boards', { ref: 'abcdef0' }, never))).toMatchObject({
      code: 'source/ref-missing',
    })
  })
})

describe('a veto', () => {
  test('of the only released commit leaves it applied, and says so', async () => {
    const only = await follow()
    const vetoed = await world().ask.vetoMove((await newest()).id, because)
    expect(vetoed).toMatchObject({ state: 'vetoed', moved: [], stay: ['boards'] })
    const { status, revision } = await world().ask.getStack('boards')
    expect(revision.applied).toContain(only)
    expect(status).toMatchObject({ state: 'Behind', reason: 'MoveVetoed' })
    expect(status.message).toMatch(/ It stays applied: no commit was released before it\.$/)
  })

  test('of the applied commit reverts to the commit released before, until another one is released', async () => {
    await follow()
    const bad = await move(2)
    await world().sync('boards')
    const { id, from } = await newest()
    expect(await world().ask.previewVeto(id)).toMatchObject({ move: { id }, commit: from!.commit, stacks: ['boards'] })
    expect(await world().ask.vetoMove(id, because)).toMatchObject({ state: 'vetoed', decision: { by: 'ann' } })
    expect(await refusal(world().ask.previewVeto(id))).toMatchObject({ status: 'conflict' })
    await until('it is gone back', async () => (await labels()) === 1)
    const [back, vetoed] = (await world().ask.listRuns('boards', {})).items
    const veto = { move: id, by: 'ann', why: 'the chart is wrong' }
    expect([back!.veto, vetoed!.veto]).toEqual([undefined, veto])
    expect((await world().ask.getRun('boards', vetoed!.id)).veto).toEqual(veto)
    expect(back!.cause).toMatchObject({
      kind: 'person',
      by: 'ann',
      note: `vetoed move ${id} of stable: the chart is wrong`,
      ref: 'stable',
    })
    await world().sync('boards')
    await world().repository.tag('stable', bad, { annotated: true })
    await world().sync('boards')
    expect(await labels()).toBe(1)
    expect(await blockers()).toMatchObject([
      { reason: 'MoveVetoed', message: expect.stringContaining('the chart is wrong') as string },
    ])
    await move(3)
    await world().sync('boards')
    expect(await labels()).toBe(3)
    expect(await blockers()).toEqual([])
  })

  test('applies to another spelling of the ref', async () => {
    await follow()
    await move(2)
    await world().sync('boards')
    await world().ask.vetoMove((await newest()).id, because)
    await until('it is gone back', async () => (await labels()) === 1)
    await world().ask.updateStack('boards', { source: { ref: 'refs/tags/stable' } }, 'ann')
    await world().sync('boards')
    expect(await labels()).toBe(1)
    expect(await blockers()).toMatchObject([{ reason: 'MoveVetoed' }])
  })

  test('supersedes a run in progress', async () => {
    await follow()
    const { reached, release } = world().platform.holdCalls('create')
    await move(2)
    const synced = world().ask.requestSync('boards', 'ann', never)
    await reached
    const { id } = await newest()
    const vetoed = world().ask.vetoMove(id, because)
    const cut = (await synced).id
    await until(
      'the run back is queued',
      async () => Number((await world().ask.getStack('boards')).lastRun?.id) > Number(cut),
    )
    release()
    await vetoed
    expect((await world().ended('boards', cut)).outcome).toMatch(/superseded|applied/) // the run in progress ends
    await until('it is as before', async () => (await labels()) === 1)
  })

  test('is kept by an undo, which does not restore the vetoed commit', async () => {
    declare({ minAgeMs: 15 * minute })
    await follow()
    await world().push(yaml(label('l1', { color: '#000000' }), label('l2')), 'stable')
    await world().sync('boards')
    world().clock.advance(15 * minute)
    await until('it is applied', async () => (await labels()) === 2)
    const bad = await newest()
    await move(3)
    await world().sync('boards')
    world().platform.reset()
    world().platform.onCall(({ verb }) => {
      if (verb === 'remove') throw new Rejected('It is in use.', { code: 'platform/in-use' })
    })
    await world().ask.vetoMove(bad.id, because)
    await until('the way back failed', async () => (await world().ask.getStack('boards')).lastRun?.outcome === 'failed')
    expect(
      world()
        .platform.writes.map(({ verb }) => verb)
        .sort(),
    ).toEqual(['remove', 'update'])
  })

  test('of the first commit while it is applied undoes its completed steps', async () => {
    await world().push(yaml(label('l1'), bucket('raw', { labels: ['l1'] })), 'stable')
    const { reached, release } = world().platform.holdCalls('create')
    const created = world().create('boards', { ref: 'stable' })
    await reached
    const stop = vi.spyOn(world().agent.runs, 'stop')
    const vetoed = world().ask.vetoMove((await newest()).id, because)
    await until('the run is being stopped', () => stop.mock.calls.length > 0)
    expect((await newest()).state).toBe('vetoed')
    release()
    await vetoed
    expect((await created).outcome).toBe('superseded')
    await until('that is undone', async () => (await world().ask.getStack('boards')).lastRun?.outcome === 'undone')
    expect((await world().ask.getStack('boards')).lastRun?.cause.kind).toBe('recovery')
    expect(await labels()).toBe(0)
  })

  test('of the first commit while its run reads the target lasts until a person approves the commit', async () => {
    await world().push(packages[0]!, 'stable')
    const { reached, release } = world().platform.holdCalls('read')
    const created = world().create('boards', { ref: 'stable' })
    await reached
    const { id } = await newest()
    const stop = vi.spyOn(world().agent.runs, 'stop')
    const vetoed = world().ask.vetoMove(id, because)
    await until('the run is being stopped', () => stop.mock.calls.length > 0)
    expect((await newest()).state).toBe('vetoed')
    release()
    await vetoed
    expect((await created).outcome).toBe('superseded')
    expect(await labels()).toBe(0)
    expect(await world().ask.approveMove(id, because)).toMatchObject({ moved: [{ stack: 'boards' }] })
    await until('it is applied', async () => (await labels()) === 1)
  })

  test('does not end if the run that applies the commit again cannot be stored', async () => {
    await world().push(packages[0]!, 'stable')
    await world().create('boards', { ref: 'stable' })
    const { id } = await newest()
    await world().ask.vetoMove(id, because)
    await world().ask.deleteResource('Label/l1', { stack: 'boards' }, never)
    await world()
      .ask.requestSync('boards', 'ann', never)
      .catch(() => {})
    world().clock.advance(6 * minute)
    await until(
      'a correction was refused',
      async () => (await world().ask.getStack('boards')).lastRun?.outcome === 'failed',
    )
    await refuseRuns(world().root, () => world().ask.approveMove(id, because))
    expect(await newest()).toMatchObject({ state: 'vetoed' })
    expect(await world().ask.approveMove(id, because)).toMatchObject({ moved: [{ stack: 'boards' }] })
    await until('it is applied', async () => (await labels()) === 1)
  })

  test('waits for a run of its commit that a rollback is stopping', async () => {
    await world().push(packages[0]!, 'stable')
    const first = await world().create('boards', { ref: 'stable' })
    await world().push(packages[1]!, 'stable')
    const { reached, release } = world().platform.holdCalls('create')
    await world().ask.requestSync('boards', 'ann', never)
    await reached
    const rolledBack = world().ask.rollBack('boards', first.id, 'bad boards', 'ann')
    await until('it is pinned', async () => (await world().ask.getStack('boards')).pinned !== null)
    let isAnswered = false
    const vetoed = world().ask.vetoMove((await newest()).id, because)
    void vetoed.then(() => (isAnswered = true))
    await until('it is vetoed', async () => (await newest()).state === 'vetoed')
    for (let read = 0; read < 20; read++) await newest() // it would be answered by then
    expect(isAnswered).toBe(false)
    release()
    await vetoed
    await world().ended('boards', (await rolledBack).id)
    expect(await labels()).toBe(1)
  })

  test('of the only revision lets nothing write it: no correction, no retry, no sync, no plan, no restart', async () => {
    await follow()
    await world().ask.vetoMove((await newest()).id, because)
    await world().ask.deleteResource('Label/l1', { stack: 'boards' }, never)
    world().platform.reset()
    world().clock.advance(6 * minute)
    await until(
      'a correction was refused',
      async () => (await world().ask.getStack('boards')).lastRun?.outcome === 'failed',
    )
    expect(await refusal(world().ask.requestSync('boards', 'ann', never))).toMatchObject({ status: 'needs-approval' })
    await world().restart()
    world().clock.advance(60 * minute)
    await refusal(world().ask.requestSync('boards', 'ann', never))
    expect(world().platform.writes).toEqual([])
    expect(await labels()).toBe(0)
    await world().ask.approveMove((await newest()).id, because)
    await until('it is applied again', async () => (await labels()) === 1)
  })

  test('of a move that the policy refuses stays: no approval ends it, and no hint proposes one', async () => {
    declare({ moves: 'forward-only' })
    await movedBack()
    const { id } = await newest()
    expect(await world().ask.vetoMove(id, because)).toMatchObject({ state: 'vetoed' })
    const vetoed = [{ reason: 'MoveVetoed', next: [expect.objectContaining({ verb: 'edit' })] }]
    expect(await blockers()).toMatchObject(vetoed)
    expect(await refusal(world().ask.approveMove(id, because))).toMatchObject({
      status: 'needs-approval',
      code: 'stacks/not-approvable',
      message: expect.stringContaining('(moves: forward-only)') as string,
    })
    expect(await newest()).toMatchObject({ state: 'vetoed', decision: { kind: 'veto' } })
    expect(await blockers()).toMatchObject(vetoed)
    declare({ moves: 'any' })
    expect(await world().ask.approveMove(id, because)).toMatchObject({ state: 'released' })
  })

  test('allows a rollback to its commit', async () => {
    await follow()
    const run = (await world().ask.getStack('boards')).lastRun!
    await move(2)
    await world().sync('boards')
    await world().repository.tag('stable', run.revision.split(':')[1]!)
    await world().sync('boards')
    await world().ask.vetoMove((await newest()).id, because)
    await until('it is gone back', async () => (await labels()) === 2)
    const { id } = await world().ask.rollBack('boards', run.id, 'anyway', 'ann')
    expect((await world().ended('boards', id)).outcome).toBe('applied')
    expect(await labels()).toBe(1)
  })

  test('of a channel with a typo in its name suggests the channel', async () => {
    await follow()
    expect(await refusal(world().ask.pinChannel('stabel', because, never))).toMatchObject({
      status: 'not-found',
      code: 'channels/unknown',
      hint: 'Did you mean "stable"?',
    })
  })

  test('of a ref that several remotes have is a usage error, which lists the full names', async () => {
    const other = world().server.makeRepository('other')
    await other.tag('stable', await other.commit({ files: { 'a.yml': label('other') } }))
    await follow()
    const url = `${world().server.url}/other.git`
    await world().create('lab', { sources: [{ kind: 'git', url, ref: 'stable', path: '' }] })
    expect(await refusal(world().ask.pinChannel('stable', because, never))).toMatchObject({
      status: 'usage',
      hint: expect.stringContaining(`${url}#stable`) as string,
    })
  })

  test('of a superseded move says so', async () => {
    await follow()
    const { id } = await newest()
    await move(2)
    await world().sync('boards')
    expect(await refusal(world().ask.vetoMove(id, because))).toMatchObject({
      status: 'conflict',
      message: expect.stringContaining('points to another commit since move') as string,
    })
    expect(await refusal(world().ask.vetoMove('999', because))).toMatchObject({
      status: 'not-found',
      code: 'channels/move-unknown',
    })
  })
})

describe('an approval', () => {
  const preview = (id: string): Promise<unknown> => world().ask.previewApproval(id, { plans: true }, never)
  const planned = (...addresses: readonly string[]): unknown => ({
    stacks: ['boards'],
    plans: [{ stack: 'boards', plan: { changes: addresses.map((address) => ({ address })) } }],
  })

  test('of a blocked move is shown with the plan of each stack before anything moves', async () => {
    declare({ moves: 'approve-back' })
    await movedBack()
    const { id } = await newest()
    expect(await preview(id)).toMatchObject({ move: { id, state: 'blocked' }, ...(planned('Label/l2') as object) })
    expect(await world().ask.previewApproval(id, { plans: false }, never)).toEqual({
      move: await newest(),
      stacks: ['boards'],
    })
    expect([await labels(), (await newest()).state]).toEqual([2, 'blocked'])
    await world().ask.approveMove(id, because)
    expect(await refusal(preview(id))).toMatchObject({ status: 'conflict', message: `Move ${id} is released already.` })
  })

  test('of a waiting move is shown with plans, and refused while the channel is pinned', async () => {
    declare({ minAgeMs: 15 * minute })
    await follow()
    await move(2)
    await world().sync('boards')
    const { id } = await newest()
    expect(await preview(id)).toMatchObject({ move: { id, state: 'waiting' }, ...(planned('Label/l2') as object) })
    expect(await labels()).toBe(1)
    await world().ask.pinChannel('stable', because, never)
    expect(await refusal(preview(id))).toMatchObject({ code: 'stacks/not-approvable' })
  })

  test('of a vetoed move is shown with plans, and leaves the veto', async () => {
    await follow()
    await move(2)
    await world().sync('boards')
    const { id } = await newest()
    await world().ask.vetoMove(id, because)
    await until('it is gone back', async () => (await labels()) === 1)
    expect(await preview(id)).toMatchObject({ move: { id, state: 'vetoed' }, ...(planned('Label/l2') as object) })
    expect(await newest()).toMatchObject({ state: 'vetoed', decision: { kind: 'veto' } })
  })

  test('of a vetoed move whose ref was deleted moves no stack', async () => {
    await follow()
    await move(2)
    await world().sync('boards')
    const { id } = await newest()
    await world().ask.vetoMove(id, because)
    await world().repository.remove('refs/tags/stable')
    await refusal(world().ask.requestSync('boards', 'ann', never))
    expect(await preview(id)).toMatchObject({ move: { id }, stacks: [], plans: [] })
    const { items } = await world().ask.listMoves('stable', {})
    const gone = items.find(({ state }) => state === 'gone')!
    expect(await refusal(preview(gone.id))).toMatchObject({ status: 'conflict' })
  })

  test('is refused in a preview as it is itself', async () => {
    declare({ moves: 'forward-only' })
    const first = await follow()
    await move(2)
    await world().sync('boards')
    const old = (await newest()).id
    await world().repository.tag('stable', first)
    await world().sync('boards')
    const { id, state } = await newest()
    expect(state).toBe('refused')
    const same = async (one: string): Promise<unknown> => {
      const [shown, refused] = [await refusal(preview(one)), await refusal(world().ask.approveMove(one, because))]
      expect(shown).toEqual(refused)
      return shown
    }
    expect(await same(id)).toMatchObject({ code: 'stacks/not-approvable' })
    expect(await same(old)).toMatchObject({ status: 'conflict' })
    expect(await same('999')).toMatchObject({ status: 'not-found' })
    await world().ask.vetoMove(id, because)
    expect(await same(id)).toMatchObject({
      code: 'stacks/not-approvable',
      message: expect.stringContaining('(moves: forward-only)') as string,
    })
  })

  test('of a vetoed commit that must be signed and is not is refused before its package is read', async () => {
    await follow()
    await move(2)
    await world().sync('boards')
    const { id } = await newest()
    await world().ask.vetoMove(id, because)
    declare({ signedBy: ['ops'] })
    expect(await refusal(preview(id))).toMatchObject({
      code: 'stacks/not-approvable',
      message: expect.stringContaining('(signedBy)') as string,
    })
  })
})

describe('a pin', () => {
  test('keeps all stacks at their commit until it ends, also over a restart', async () => {
    await follow()
    await world().create('others', { ref: 'stable', target: 'other' })
    await world().ask.pinChannel('stable', because, never)
    await move(2)
    await world().sync('boards')
    await world().restart()
    await world().sync('others')
    expect(await labels()).toBe(1)
    expect((await world().names('other')).length).toBe(1)
    expect(await channel()).toMatchObject({
      pin: { by: 'ann' },
      newest: { state: 'blocked', blockedBy: 'pin' },
      stacks: ['boards', 'others'],
    })
    expect(await blockers()).toMatchObject([
      {
        reason: 'ChannelPinned',
        next: expect.arrayContaining([
          expect.objectContaining({ cli: expect.stringContaining('gitmoor channel unpin') as string }),
        ]) as NextStep[],
      },
    ])
    const { to } = await newest()
    expect(await world().ask.previewUnpin('stable', never)).toEqual({
      channel: (await channel()).name,
      pinned: (await channel()).pin!.commit,
      commit: to!.commit,
      stacks: ['boards', 'others'],
      blocker: null,
    })
    expect(await channel()).toMatchObject({ pin: { by: 'ann' }, newest: { state: 'blocked' } })
    await world().ask.unpinChannel('stable', { why: '', by: 'ann' })
    await until('both go on', async () => (await labels()) === 2 && (await world().names('other')).length === 2)
    expect(await refusal(world().ask.unpinChannel('stable', because))).toMatchObject({ status: 'conflict' })
    expect(await refusal(world().ask.previewUnpin('stable', never))).toMatchObject({ status: 'conflict' })
  })

  test('says what its end would do if the policy blocks the move that it blocked', async () => {
    const commit = await follow()
    await world().ask.pinChannel('stable', because, never)
    declare({ minAgeMs: 60 * minute })
    await move(2)
    await world().sync('boards')
    expect(await world().ask.previewUnpin('stable', never)).toMatchObject({
      pinned: commit,
      commit,
      blocker: { reason: 'MoveWaiting' },
    })
  })

  test.each(['pin', 'veto'])(
    'at a commit and its veto at the same moment, the %s first: one is refused',
    async (first) => {
      await follow()
      const { id } = await newest()
      const pin = (): Promise<unknown> => world().ask.pinChannel('stable', because, never)
      const veto = (): Promise<unknown> => world().ask.vetoMove(id, because)
      const both = await Promise.allSettled(first === 'pin' ? [pin(), veto()] : [veto(), pin()])
      expect(both.filter(({ status }) => status === 'rejected')).toHaveLength(1)
      const { pin: kept, newest: move } = await channel()
      expect([kept === null, move?.state]).toEqual(kept === null ? [true, 'vetoed'] : [false, 'released'])
    },
  )

  test('is shown with the plan of each stack before anything moves', async () => {
    const first = await follow()
    await move(2)
    await world().sync('boards')
    const request = { at: first.slice(0, 7), plans: true }
    expect(await world().ask.previewPin('stable', request, never)).toMatchObject({
      commit: first,
      stacks: ['boards'],
      plans: [{ stack: 'boards', plan: { changes: [{ address: 'Label/l2' }] } }],
    })
    expect(await labels()).toBe(2)
    expect(await refusal(world().ask.previewPin('stable', { ...request, at: 'deadbeef' }, never))).toMatchObject({
      status: 'usage',
    })
  })

  test('moves stacks to a commit of the remote, by its hash or by a move, also while the ref is missing', async () => {
    const first = await follow()
    await move(2)
    await world().sync('boards')
    await world().ask.pinChannel('stable', { at: first.slice(0, 7), ...because }, never)
    await until('it is gone back', async () => (await labels()) === 1)
    await world().repository.remove('refs/tags/stable')
    expect((await world().sync('boards')).outcome).not.toBe('failed')
    await world().ask.pinChannel('stable', { at: (await newest()).id, ...because }, never)
    await until('it is there again', async () => (await labels()) === 2)
    expect(await refusal(world().ask.pinChannel('stable', { at: 'f'.repeat(40), ...because }, never))).toMatchObject({
      code: 'source/commit-missing',
    })
    expect(await refusal(world().ask.pinChannel('stable', { at: 'nonsense', ...because }, never))).toMatchObject({
      status: 'usage',
    })
  })
})

describe('polls', () => {
  test('cost no extra request for a channel without a policy', async () => {
    await follow()
    await world().sync('boards')
    const before = world().server.seen.length
    await world().sync('boards')
    expect(world().server.seen.length - before).toBe(1)
  })
})
