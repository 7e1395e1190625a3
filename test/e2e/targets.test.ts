// Targets as people list, show and test them: use cases, and the command line over HTTP.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Rejected, Unavailable } from '../../src/model/errors.js'
import type { Finding } from '../../src/model/problem.js'
import type { Connection, Platform, Target } from '../../src/platform/platform.js'
import { parseSelector } from '../../src/settings/labels.js'
import type { LabelCondition } from '../../src/model/stacks/stack.js'
import { sampleToken, serveAgent } from '../api/request-api.js'
import { Lamps } from '../lamps.js'
import { refusal } from './refusal.js'
import { typeHere } from './type-here.js'
import { until } from './until.js'
import { never, useWorld } from './world.js'

/** What the bridges answer. `closed`: connections that ended. */
const bridge = {
  state: 'up' as 'up' | 'down' | 'broken' | 'silent' | 'refusing',
  warnings: [] as readonly Finding[],
  closed: 0,
}
const devices = new Lamps()

const guardedLamps: Platform = {
  name: 'lamps',
  version: 1,
  onFailure: 'undo',
  kinds: devices.kinds,
  kind: (kind, apiVersion) => devices.kind(kind, apiVersion),
  explainUnknownKind: (kind) => devices.explainUnknownKind(kind),
  systemId: (settings) => devices.systemId(settings),
  connect: async ({ settings }: Target): Promise<Connection> => {
    if (bridge.state === 'silent') return new Promise(() => {})
    if (bridge.state === 'down') throw new Unavailable('The bridge does not answer.', { code: 'lamps/down' })
    if (bridge.state === 'broken') throw new Error('a fault of the platform')
    if (bridge.state === 'refusing')
      throw new Rejected('The bridge refuses the key.', { code: 'lamps/key', refusesAccess: true })
    if (settings['key'] === '${env:OLD}')
      throw new Rejected('The bridge refuses the key.', { code: 'lamps/key', hint: 'Give it a new "key".' })
    const about = { version: '4.1', bridge: settings['bridge']! }
    const closed = async (): Promise<void> => void bridge.closed++
    const { warnings } = bridge
    return { ...(await devices.connect({ settings })), about, warnings, [Symbol.asyncDispose]: closed }
  },
}

const lamps = (settings: { readonly bridge: string; readonly key?: string }, labels = {}) => ({
  platform: 'lamps',
  labels,
  settings,
})
const targets = {
  hall: lamps({ bridge: 'hall', key: '${env:KEY}' }, { env: 'prod', floor: '1' }),
  attic: lamps({ bridge: 'attic' }, { env: 'test' }),
  shed: lamps({ bridge: 'shed' }),
}
const options = { platforms: [guardedLamps], changed: { targets } }
const world = useWorld(options)

beforeEach(async () => {
  devices.bridge('hall').clear()
  Object.assign(bridge, { state: 'up', warnings: [], closed: 0 })
  await world().push('apiVersion: lamps/v1\nkind: Room\nmetadata: { name: hall }\nspec: { floor: 1 }\n')
})

const selected = (text: string) => parseSelector(text) as readonly LabelCondition[]

describe('the list of targets', () => {
  test('has labels, settings with references as they are written, and the number of stacks', async () => {
    world().environment.set('KEY', 'a-key-of-the-test')
    await world().create('one', { target: 'hall' })
    await world().create('two', { target: 'hall' })
    const { items } = await world().ask.listTargets({})
    expect(items.map(({ name, stacks }) => [name, stacks])).toEqual([
      ['attic', 0],
      ['hall', 2],
      ['shed', 0],
    ])
    const hall = { name: 'hall', platform: 'lamps', bridge: 'hall', key: '${env:KEY}', stacks: 2, refused: null }
    expect(items[1]).toEqual({ ...hall, labels: { env: 'prod', floor: '1' } })
    expect(await world().ask.getTarget('hall')).toEqual(items[1])
  })

  test('is filtered by labels, and paged by name', async () => {
    const names = async (listing: Parameters<ReturnType<typeof world>['ask']['listTargets']>[0]) => {
      const { items, next } = await world().ask.listTargets(listing)
      return [...items.map(({ name }) => name), next]
    }
    expect(await names({ selector: selected('env=prod') })).toEqual(['hall', null])
    expect(await names({ selector: selected('env!=prod') })).toEqual(['attic', 'shed', null])
    expect(await names({ selector: selected('env'), limit: 1 })).toEqual(['attic', 'attic'])
    expect(await names({ selector: selected('env'), limit: 1, after: 'attic' })).toEqual(['hall', null])
  })

  test('says why a declared target is refused', async () => {
    await world().create('one', { target: 'hall' })
    await world().reload({ ...options, changed: { targets: { ...targets, hall: lamps({ bridge: 'porch' }) } } })
    const { refused } = await world().ask.getTarget('hall')
    expect(refused).toEqual({
      code: 'platform/target-missing',
      message: 'Target hall is declared as lamps/porch, but its stacks are bound to lamps/hall.',
      hint: 'Declare it as lamps/hall again, and lamps/porch under another name. Then send the signal HUP to the agent.',
    })
    expect(await world().ask.testTarget('hall', never)).toMatchObject({ ok: false, about: {}, problem: refused })
    await world().reload(options)
    expect(await world().ask.getTarget('hall')).toMatchObject({ refused: null })
  })

  test('does not have a target with a typo in its name, and names the existing one', async () => {
    for (const asked of [world().ask.getTarget('hal'), world().ask.testTarget('hal', never)])
      expect(await refusal(asked)).toMatchObject({
        status: 'not-found',
        code: 'stacks/target-unknown',
        hint: expect.stringContaining('hall') as string,
      })
  })
})

describe('a target that refuses its credential', () => {
  const withFile = {
    ...options,
    changed: { targets: { ...targets, hall: lamps({ bridge: 'hall', key: '${file:key}' }) } },
  }
  const stack = async () => (await world().store.stacks.get('one'))!

  /** The bridge refuses the key of the file. The run of a new stack failed. */
  async function refused(): Promise<string> {
    writeFileSync(join(world().root, 'key'), 'old\n')
    await world().reload(withFile)
    world().clock.advance(60_000)
    bridge.state = 'refusing'
    return (await world().create('one', { target: 'hall' })).id
  }

  test('is a reason of its own, and is tried again with back-off', async () => {
    const first = await refused()
    expect((await world().ask.getStack('one')).status).toMatchObject({
      state: 'Failed',
      reason: 'TargetRefused',
      message: 'The bridge refuses the key.',
    })
    expect((await stack()).retryAt! - world().clock.now()).toBe(5_000)
    world().clock.advance(5_000)
    const second = await world().runAfter('one', first)
    expect(second).toMatchObject({ outcome: 'failed', cause: { kind: 'retry' } })
    expect((await stack()).retryAt! - world().clock.now()).toBe(10_000)
    bridge.state = 'up'
    world().clock.advance(10_000)
    expect(await world().runAfter('one', second.id)).toMatchObject({ outcome: 'applied' })
  })

  test('is tried again once the file of the credential changes', async () => {
    let last = await refused()
    for (let tries = 0; tries < 6; tries++) {
      world().clock.advance((await stack()).retryAt! - world().clock.now())
      last = (await world().runAfter('one', last)).id
    }
    expect((await stack()).retryAt! - world().clock.now()).toBeGreaterThan(120_000)
    writeFileSync(join(world().root, 'key'), 'new\n')
    bridge.state = 'up'
    world().clock.advance(60_000)
    expect(await world().runAfter('one', last)).toMatchObject({ outcome: 'applied', cause: { kind: 'retry' } })
    const lines = world().log.filter(({ message }) => message === 'credential of target changed')
    expect(lines.map(({ facts }) => facts)).toEqual([{ target: 'hall' }])
  })

  test('is tried again after an undo, too', async () => {
    await refused()
    await world().store.stacks.change('one', {
      failure: { reason: 'Undone', code: 'lamps/key', message: 'The bridge refuses the key.', retry: 'change' },
      retryAt: null,
    })
    const { lastRun } = await world().ask.getStack('one')
    writeFileSync(join(world().root, 'key'), 'new\n')
    bridge.state = 'up'
    world().clock.advance(60_000)
    expect(await world().runAfter('one', lastRun!.id)).toMatchObject({ outcome: 'applied' })
  })
})

test('a target that was refused for its stacks is used again once the last of them is deleted', async () => {
  await world().create('one', { target: 'hall' })
  await world().reload({ ...options, changed: { targets: { ...targets, hall: lamps({ bridge: 'porch' }) } } })
  expect((await world().ask.getTarget('hall')).refused).not.toBe(null)
  await world().ask.deleteStack('one', { by: 'ann' }, never)
  await until('it is used', async () => (await world().ask.getTarget('hall')).refused === null)
  expect((await world().create('two', { target: 'hall' })).outcome).toBe('applied')
})

describe('the test of a target', () => {
  const tested = () => world().ask.testTarget('hall', never)

  test('answers with what the system says of itself and its warnings, and changes nothing', async () => {
    bridge.warnings = [{ code: 'lamps/rights', message: 'gitmoor may not rename rooms.', hint: 'Give it "rooms".' }]
    expect(await tested()).toEqual({
      name: 'hall',
      platform: 'lamps',
      ok: true,
      ms: expect.any(Number) as number,
      about: { version: '4.1', bridge: 'hall' },
      warnings: bridge.warnings,
      problem: null,
    })
    expect([bridge.closed, devices.bridge('hall').size]).toEqual([1, 0])
  })

  test.each([
    ['down', { code: 'lamps/down', message: 'The bridge does not answer.' }],
    ['broken', { code: 'platform/failed', message: 'a fault of the platform' }],
  ] as const)('of a system that is %s answers with the problem and a hint', async (state, problem) => {
    bridge.state = state
    expect(await tested()).toMatchObject({
      ok: false,
      warnings: [],
      problem: { ...problem, hint: expect.stringContaining('credentials of the target') as string },
    })
  })

  test('of a system that does not answer ends after 10 s', async () => {
    bridge.state = 'silent'
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const asked = tested()
    await vi.advanceTimersByTimeAsync(10_000)
    const problem = { code: 'platform/timeout', message: 'The target did not answer within 10 s.' }
    expect(await asked).toMatchObject({ ok: false, problem })
  })

  test('of a system that does not answer ends when the request ends', async () => {
    bridge.state = 'silent'
    const gone = new AbortController()
    const asked = world().ask.testTarget('hall', gone.signal)
    gone.abort(new Error('the client left'))
    await expect(asked).rejects.toThrow('the client left')
  })
})

describe('a reload that changes a target', () => {
  const withKey = (key: string, bridgeName = 'hall') => ({
    ...options,
    changed: { targets: { ...targets, hall: lamps({ bridge: bridgeName, key }) } },
  })

  test('is in force at once, and retries what failed on it', async () => {
    await world().reload(withKey('${env:OLD}'))
    const failed = await world().create('lights', { target: 'hall', intervalMs: 3_600_000 })
    expect([failed.outcome, failed.problems[0]?.code]).toEqual(['failed', 'lamps/key'])
    await world().reload(withKey('${env:NEW}'))
    expect((await world().ask.getTarget('hall'))['key']).toBe('${env:NEW}')
    await until('it is synced', async () => (await world().ask.getStack('lights')).sync === 'Synced')
    const { checks, configuration } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'target hall')).toMatchObject({ state: 'ok' })
    expect(configuration).toMatchObject({ needsRestart: [] })
  })

  test('leaves alone what failed for another reason, and other targets', async () => {
    await world().push('apiVersion: lamps/v1\nkind: Blind\nmetadata: { name: window }\n')
    const failed = await world().create('blinds', { target: 'hall', intervalMs: 3_600_000 })
    expect(failed.problems[0]?.code).toBe('kinds/unknown-kind')
    await world().reload(withKey('${env:NEW}'))
    await world().reload(withKey('${env:NEWER}'))
    expect((await world().ask.getStack('blinds')).lastRun?.id).toBe(failed.id)
  })
})

test('the command line lists, shows and tests targets of a running agent', async () => {
  const served = await serveAgent(world().call)
  onTestFinished(() => served.close())
  const env = { GITMOOR_URL: served.url, GITMOOR_TOKEN: sampleToken }
  const typed = (line: string) => typeHere(line.split(' '), { cwd: world().root, env })
  await world().create('lights', { target: 'hall' })
  expect((await typed('target list -l env')).stdout).toBe(
    'NAME   PLATFORM  STATE     STACKS  LABELS\n' +
      'attic  lamps     Declared  0       env=test\n' +
      'hall   lamps     Declared  1       env=prod,floor=1\n',
  )
  expect((await typed('target get hall')).stdout).toContain('\nkey:       ${env:KEY}\n')
  const good = await typed('target test hall')
  expect(good.code).toBe(0)
  expect(good.stdout).toMatch(/^Target hall \(lamps\) answered in \d+ ms\.\nversion: +4\.1\n/)
  bridge.state = 'down'
  const bad = await typed('target test hall')
  expect(bad.code).toBe(6)
  expect(bad.stdout).toContain('error: The bridge does not answer.\n  next: Check the address and the credentials')
  expect((await typed('target test nowhere')).code).toBe(9)
})
