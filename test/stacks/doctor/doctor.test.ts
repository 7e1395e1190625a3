// What the doctor says of stacks, remotes, targets and the clock.
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { releaseAtOnce } from '../../../src/channel/channel-policy.js'
import type { Check } from '../../../src/model/agent/check.js'
import { Rejected, Unavailable } from '../../../src/model/errors.js'
import { openContext } from '../../../src/stacks/context.js'
import { diagnose } from '../../../src/stacks/doctor/doctor.js'
import { addDatabaseEvent } from '../../../src/store/sqlite/sqlite-database-events.js'
import { label } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

async function reported(): Promise<Readonly<Record<string, string>>> {
  const { checks } = await world().ask.diagnose(never)
  return Object.fromEntries(
    checks.map(({ name, state, message, next }) => [
      name,
      [state, message, ...(next === undefined ? [] : [next])].join(' | '),
    ]),
  )
}

test('where all is well, it says so of each', async () => {
  await world().push(label('aa'))
  await world().create('boards')
  expect((await world().ask.diagnose(never)).worst).toBe('ok')
  expect(await reported()).toMatchObject({
    stacks: 'ok | 1, none needs attention',
    'target local': 'ok | answered in 0 ms',
    clock: expect.stringMatching(/^ok/) as string,
    [`remote ${world().url}`]: 'ok | polled 0 s ago, answered in 0 ms',
  })
})

test('a remote that does not answer is a problem, and so is the stack that follows it', async () => {
  await world().push(label('aa'))
  await world().create('boards')
  await world().server.close()
  world().clock.advance(60_000)
  await until('its stack is reported', async () => (await reported())['stack boards'])
  expect((await world().ask.diagnose(never)).worst).toBe('problem')
  expect((await reported())[`remote ${world().url}`]).toMatch(/^problem \| /)
  expect((await reported())['stack boards']).toMatch(/Retry now: gitmoor sync boards$/)
})

test('a problem of several stacks has one check that names them, and each stack refers to it', async () => {
  await world().push(label('aa'))
  await world().create('boards')
  await world().create('alerts')
  await world().create('asleep')
  await world().ask.suspendStack('asleep', 'lunch', undefined, 'ann')
  await world().create('lost', { path: 'nowhere' })
  await world().server.close()
  world().clock.advance(60_000)
  const remote = `remote ${world().url}`
  const checks = await until('the stacks are reported', async () => {
    const found = (await world().ask.diagnose(never)).checks
    return found.some(({ affects }) => affects?.count === 3) && found
  })
  expect(checks.find(({ name }) => name === remote)).toMatchObject({
    state: 'problem',
    affects: { count: 3, stacks: ['alerts', 'asleep', 'boards'] },
  })
  const causes = checks.filter(({ name }) => name.startsWith('stack ')).map(({ name, cause }) => [name, cause])
  expect(Object.fromEntries(causes)).toEqual({
    'stack alerts': remote,
    'stack boards': remote,
    'stack asleep': remote,
    'stack lost': undefined,
  })
  expect(checks.find(({ name }) => name === 'stack asleep')).toMatchObject({
    state: 'warning',
    message: expect.stringMatching(/ Suspended by ann: lunch\.$/) as string,
  })
  const { items } = await world().ask.listStacks({ states: ['Failed'] })
  expect(items.map(({ name, status }) => [name, status.reason])).toEqual([
    ['alerts', 'FetchFailed'],
    ['asleep', 'FetchFailed'],
    ['boards', 'FetchFailed'],
    ['lost', 'FetchFailed'],
  ])
  expect(checks.some(({ name }) => name === 'stacks')).toBe(false)
})

test('a stack with a refused move is affected by its remote, and names the move after the failure', async () => {
  world().agent.setChannelPolicies([{ ...releaseAtOnce, ref: 'stable', moves: 'forward-only' }])
  const first = await world().push(label('aa'), 'stable')
  await world().create('boards', { ref: 'stable' })
  await world().push(label('bb'), 'stable')
  await world().sync('boards')
  await world().repository.tag('stable', first)
  await world().sync('boards')
  await world().server.close()
  world().clock.advance(60_000)
  const remote = `remote ${world().url}`
  const checks = await until('its remote is reported', async () => {
    const found = (await world().ask.diagnose(never)).checks
    return found.some(({ name, state }) => name === remote && state === 'problem') && found
  })
  expect(checks.find(({ name }) => name === remote)).toMatchObject({ affects: { count: 1, stacks: ['boards'] } })
  const { blockers, status } = await world().ask.explainStack('boards')
  expect(blockers.map(({ reason }) => reason)).toEqual(['FetchFailed', 'MoveRefused'])
  expect(status).toMatchObject({ state: 'Failed', reason: 'FetchFailed', also: ['MoveRefused'] })
  expect(checks.find(({ name }) => name === 'stack boards')).toMatchObject({
    cause: remote,
    message: blockers.map(({ message }) => message).join(' '),
  })
})

test('a target that is gone has one check for all its stacks', async () => {
  await world().push(label('aa'))
  await world().create('boards', { target: 'other' })
  await world().create('alerts', { target: 'other' })
  await world().restart({ targets: ['local'] })
  const { checks } = await world().ask.diagnose(never)
  expect(checks.find(({ name }) => name === 'target other')).toMatchObject({
    state: 'problem',
    message: 'Target other is not declared in the configuration file.',
    affects: { count: 2, stacks: ['alerts', 'boards'] },
  })
  expect(checks.find(({ name }) => name === 'stack boards')).toMatchObject({ cause: 'target other' })
})

test('the stacks of a file that is not given are named once, and none of their remotes', async () => {
  await world().push(label('aa'))
  await world().create('boards', { target: 'other' })
  await world().create('alerts', { target: 'other' })
  await world().restart({ file: false, targets: ['local'] })
  const { checks } = await world().ask.diagnose(never)
  expect(checks.find(({ name }) => name === 'configuration')).toMatchObject({
    state: 'problem',
    affects: { count: 2, stacks: ['alerts', 'boards'] },
  })
  expect(checks.find(({ name }) => name === 'stack boards')).toMatchObject({ cause: 'configuration' })
  expect(checks.filter(({ name }) => name.startsWith('remote '))).toEqual([])
})

test('stacks that need a person are named with what frees them', async () => {
  await world().push(label('aa'))
  const held = await world().create('held', { apply: 'approval' })
  await world().create('asleep')
  await world().ask.suspendStack('asleep', 'lunch', undefined, 'ann')
  await world().create('lost', { path: 'nowhere' })
  expect(await reported()).toMatchObject({
    'stack held': expect.stringContaining(`gitmoor approve held ${held.plan!.digest.slice(0, 12)}`) as string,
    'stack asleep': 'warning | Suspended by ann: lunch. | gitmoor resume asleep',
    'stack lost': expect.stringMatching(/^problem \| There is nothing at nowhere/) as string,
  })
})

describe('beside a failure or a plan that needs approval, the check of a stack names', () => {
  test('the pin of its channel first, if only another commit ends the failure', async () => {
    const commit = await world().push(label('aa'))
    await world().create('lost', { path: 'nowhere' })
    await world().ask.pinChannel('main', { why: 'audit', by: 'ann' }, never)
    const [state, message, next] = (await reported())['stack lost']!.split(' | ')
    expect(state).toBe('problem')
    expect(message).toMatch(
      new RegExp(`^The channel main is pinned at ${commit.slice(0, 7)} by ann: audit\\. There is nothing at nowhere`),
    )
    expect(next!.split('\n')[0]).toBe(`Follow it again: gitmoor channel unpin ${world().url}#main`)
    expect(next).toContain('gitmoor stack set lost --path PATH')
  })

  test('the pin of its channel last, if another commit is not what it waits for', async () => {
    await world().push(label('aa'))
    const { plan } = await world().create('held', { apply: 'approval' })
    await world().ask.pinChannel('main', { why: 'audit', by: 'ann' }, never)
    const held = (await reported())['stack held']!
    expect(held).toMatch(
      /^warning \| The plan needs approval.*The channel main is pinned at [0-9a-f]{7} by ann: audit\./,
    )
    expect(held.indexOf(plan!.digest.slice(0, 12))).toBeLessThan(held.indexOf('gitmoor channel unpin'))
  })

  test('the veto of the newest move', async () => {
    await world().push(label('aa'))
    await world().create('boards', { path: 'nowhere' })
    await world().push(label('bb'))
    await until('the move is there', async () => {
      await world().ask.requestSync('boards', 'ann', never)
      return (await world().ask.listMoves(`${world().url}#main`, {})).items[1]
    })
    const [newest] = (await world().ask.listMoves(`${world().url}#main`, {})).items
    await world().ask.vetoMove(newest!.id, { by: 'ann', why: 'bad' })
    const check = (await reported())['stack boards']!
    expect(check).toMatch(/^problem \| There is nothing at nowhere.* was vetoed by ann: bad\./)
    expect(check).toContain('Move main to another commit: its release ends the veto')
  })

  test('the pin of a stack', async () => {
    await world().push(label('aa'))
    const first = await world().create('boards')
    await world().push(label('aa', { color: '#ffffff' }))
    await world().sync('boards')
    world().platform.onCall(({ verb }) => {
      if (verb === 'update') throw new Rejected('The target has no room.', { code: 'platform/failed' })
    })
    const { id } = await world().ask.rollBack('boards', first.id, 'bad', 'ann')
    await world().ended('boards', id)
    const check = (await reported())['stack boards']!
    expect(check).toMatch(/^problem \| .*The target has no room\. Pinned at .* by ann: bad\./)
    expect(check).toContain('gitmoor unpin boards')
  })
})

test('an uninstalled stack is no warning, and can be deleted or installed again', async () => {
  await world().push(label('aa'))
  await world().create('gone')
  const { digest } = await world().ask.previewPlan('gone', { uninstall: true }, never)
  await world().ask.uninstallStack('gone', { digest, by: 'ann' }, never)
  expect(await reported()).toMatchObject({
    'stack gone':
      'ok | Suspended by ann: uninstalled. | Delete it: gitmoor stack delete gone\nOr install it again: gitmoor resume gone',
  })
})

test('of many stacks in need, it names 50, those that need a person first, and counts the others', async () => {
  await world().push(label('aa'))
  const names = Array.from({ length: 53 }, (_, at) => `s${String(at).padStart(2, '0')}`)
  for (const name of names) await world().ask.createStack(world().spec(name), 'ann')
  for (const name of names) await world().ask.suspendStack(name, 'lunch', undefined, 'ann')
  await world().create('z-lost', { path: 'nowhere' })
  const checks = await reported()
  expect(Object.keys(checks).filter((name) => name.startsWith('stack '))).toHaveLength(50)
  expect(checks).toMatchObject({
    'stack z-lost': expect.stringMatching(/^problem/) as string,
    stacks: 'warning | 4 more stacks need attention. | gitmoor stack list',
  })
})

test('concurrent diagnoses share one execution', async () => {
  let examined = 0
  const machine = async (): Promise<readonly Check[]> => (examined++, [])
  const { agent, clock } = world()
  const inspections = { machine, access: () => [], webhooks: async () => [], receivers: async () => [] }
  const context = openContext({ sync: agent.sync, scheduler: agent, clock, inspections })
  const left = AbortSignal.abort(new Error('left'))
  const diagnoses = Array.from({ length: 300 }, () => diagnose(context, never))
  await expect(diagnose(context, left)).rejects.toThrow('left')
  const answers = await Promise.all(diagnoses)
  expect(examined).toBe(1)
  expect(new Set(answers).size).toBe(1)
  await diagnose(context, never)
  expect(examined).toBe(2)
})

test('a clock that was set back is a problem', async () => {
  await world().push(label('aa'))
  await world().create('boards')
  const { id } = (await world().store.stacks.get('boards'))!
  await world().store.stacks.change(id, { checkedAt: world().clock.now() + 600_000 })
  expect((await reported())['clock']).toMatch(/^problem \| .* Set the clock\./)
})

test('events of the database are reported with their code and a hint', async () => {
  expect(await afterNotice('store/lost-key')).toMatch(
    /^warning \| .*: It is so\. \(store\/lost-key\) \| .*\n.*gitmoor plan --all/,
  )
  expect(await afterNotice('store/repaired')).toMatch(
    /^warning \| .*: It is so\. \(store\/repaired\) \| Check that stacks and targets are as you expect: gitmoor stack list$/,
  )
})

test('a target that fails because the disk is full says to free space', async () => {
  await world().push(label('aa'))
  await world().create('boards')
  const full = new Unavailable('The database could not grow: the disk is full.', {
    code: 'store/full',
    hint: 'Free space.',
  })
  const { documents } = world().store
  const failing = new Proxy(documents, { get: () => () => Promise.reject(full) })
  await world().restart({ documents: failing })
  expect((await reported())['target local']).toBe(
    'problem | The database could not grow: the disk is full. | Free space.',
  )
})

test('a stack for which nothing can be written down is named in the log as elsewhere', async () => {
  await world().push(label('aa'))
  await world().create('boards')
  const database = new Database(join(world().root, 'gitmoor.db'))
  database.exec("CREATE TRIGGER refuses BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'no room'); END")
  database.close()
  await world().ask.requestSync('boards', 'ann', never)
  const line = await until('it is stuck', () =>
    Promise.resolve(world().log.find(({ message }) => message === 'stack is stuck')),
  )
  expect(line.facts).toMatchObject({ stack: 'boards' })
})

/** The doctor's line of a notice. */
async function afterNotice(code: string): Promise<string | undefined> {
  const database = new Database(join(world().root, 'gitmoor.db'))
  addDatabaseEvent(database, { at: world().clock.now(), code, message: 'It is so.' })
  database.close()
  const { checks } = await world().ask.diagnose(never)
  const [newest] = checks.filter(({ name }) => name === 'notice')
  return newest && `${newest.state} | ${newest.message} | ${newest.next}`
}
