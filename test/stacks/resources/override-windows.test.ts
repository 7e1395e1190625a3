// Requests that write past the stacks, in sync windows: they are refused, or an override is recorded. Time begins on
// Thursday, 2026-01-01, at midnight.
import { describe, expect, test } from 'vitest'
import type { SyncWindow } from '../../../src/model/stacks/stack.js'
import { bucket, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()
const hour = 3_600_000
const overrideWindow = 'the disk is full'

/** Open until 01:00, closed until 05:00. */
const closed: readonly SyncWindow[] = [{ kind: 'deny', schedule: '0 1 * * *', durationMs: 4 * hour, reason: 'night' }]

/** At 02:00: the window of `boards` is closed; `other` has none. */
async function atNight(windows = closed): Promise<void> {
  await world().repository.commit({ files: { 'one/a.yml': yaml(bucket('raw')), 'two/a.yml': yaml(bucket('mine')) } })
  await world().create('boards', { path: 'one', windows, drift: 'ignore' })
  await world().create('other', { path: 'two', drift: 'ignore' })
  world().clock.advance(2 * hour)
}

const overridesOf = async (name: string): Promise<readonly unknown[]> =>
  (await world().ask.explainStack(name)).overrides

describe('while a window is closed', () => {
  test('nothing is made on its target that no stack owns, nor changed or removed', async () => {
    const { id } = await world().ask.createResource('Label', { name: 'free' }, {}, never)
    await atNight()
    const which = `Label/${id}`
    const before = await world().names()
    for (const request of [
      () => world().ask.createResource('Label', { name: 'red' }, {}, never),
      () => world().ask.editResource(which, { color: '#000000' }, {}, never),
      () => world().ask.deleteResource(which, {}, never),
    ])
      expect(await refusal(request())).toMatchObject({
        status: 'needs-approval',
        code: 'stacks/window-closed',
        message: expect.stringMatching(/^boards: /) as string,
      })
    expect(await world().names()).toEqual(before)
    expect(await overridesOf('boards')).toEqual([])
  })

  test('what a stack without windows owns is written', async () => {
    await atNight()
    await world().ask.editResource('Bucket/mine', { description: 'by hand' }, {}, never)
    expect(await overridesOf('other')).toEqual([])
  })

  test('`manual: allow` lets a person make something', async () => {
    await atNight(closed.map((one) => ({ ...one, manual: 'allow' })))
    await world().ask.createResource('Label', { name: 'red' }, {}, never)
    expect(await overridesOf('boards')).toEqual([])
  })
})

describe('an override', () => {
  test('is recorded with who, what, why and the window, the newest first, and over a restart', async () => {
    await atNight()
    const { ask } = world()
    await ask.editResource('Bucket/raw', { description: 'by hand' }, { overrideWindow, by: 'ann' }, never)
    await ask.deleteResource('Bucket/raw', { consent: 'Bucket/raw', overrideWindow, by: 'bob' }, never)
    await ask.createResource('Label', { name: 'red' }, { overrideWindow, by: 'cid' }, never)
    const past = expect.stringContaining('A sync window denies writes until 2026-01-01 05:00:00Z: night') as string
    const at = '2026-01-01T02:00:00.000Z'
    const recorded = [
      { at, by: 'cid', what: 'create Label red', why: overrideWindow, overrode: past },
      { at, by: 'bob', what: 'delete Bucket/raw', why: overrideWindow, overrode: past },
      { at, by: 'ann', what: 'edit Bucket/raw', why: overrideWindow, overrode: past },
    ]
    expect(await overridesOf('boards')).toEqual(recorded)
    expect((await ask.explainStack('boards')).text).toContain(
      `ann overrode a closed window to edit Bucket/raw: ${overrideWindow}`,
    )
    expect(await overridesOf('other')).toEqual([])
    await world().restart()
    expect(await overridesOf('boards')).toEqual(recorded)
  })

  test('is not recorded where the request is refused, and where no window is closed', async () => {
    await atNight()
    const { ask } = world()
    expect(await refusal(ask.deleteResource('Bucket/raw', { overrideWindow }, never))).toMatchObject({
      code: 'stacks/data-loss',
    })
    await expect(ask.createResource('Label', {}, { overrideWindow }, never)).rejects.toMatchObject({
      code: 'stacks/invalid-resource',
    })
    world().clock.advance(4 * hour)
    await ask.editResource('Bucket/raw', { description: 'by hand' }, { overrideWindow }, never)
    expect(await overridesOf('boards')).toEqual([])
  })

  test('must say why', async () => {
    await atNight()
    const refused = await refusal(world().ask.createResource('Label', { name: 'red' }, { overrideWindow: ' ' }, never))
    expect(refused).toMatchObject({ status: 'usage', code: 'stacks/why-missing' })
  })

  test('is deleted beyond the newest hundred', async () => {
    await atNight()
    const { id } = (await world().store.stacks.get('boards'))!
    for (let at = 0; at < 105; at++)
      await world().store.overrides.add({ at, by: 'ann', what: 'edit Bucket/raw', why: 'test' }, [
        { stack: id, past: 'night' },
      ])
    const kept = await world().store.overrides.list(id, 500)
    expect([kept.length, kept[0]!.at, kept.at(-1)!.at]).toEqual([100, 104, 5])
  })
})

describe('what a suspended stack owns', () => {
  test('is neither changed nor removed by hand, even with --override-window', async () => {
    await atNight()
    const { ask } = world()
    await ask.suspendStack('other', 'freeze', undefined, 'ann')
    const before = await world().live()
    for (const options of [{}, { overrideWindow, consent: 'Bucket/mine' }])
      for (const request of [
        () => ask.editResource('Bucket/mine', { description: 'by hand' }, options, never),
        () => ask.deleteResource('Bucket/mine', options, never),
      ])
        expect(await refusal(request())).toMatchObject({
          status: 'locked',
          code: 'stacks/suspended',
          message: 'other is suspended by ann: freeze.',
          hint: 'Resume it first: gitmoor resume other',
        })
    expect(await world().live()).toEqual(before)
    await ask.resumeStack('other', 'ann')
    await ask.editResource('Bucket/mine', { description: 'by hand' }, {}, never)
  })

  test('does not keep a person from what it does not own', async () => {
    await atNight(closed.map((one) => ({ ...one, manual: 'allow' })))
    await world().ask.suspendStack('boards', 'freeze', undefined, 'ann')
    await world().ask.createResource('Label', { name: 'red' }, {}, never)
    expect(await world().names()).toContain('Label/red')
  })
})
