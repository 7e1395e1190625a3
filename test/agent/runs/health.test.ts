// The health of resources: what checks and runs find, what every view says, and waiting for it.
import { beforeEach, describe, expect, test } from 'vitest'
import type { StackView } from '../../../src/views/stack.js'
import { readMetrics } from '../../../src/stacks/status/metrics.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { Lamps } from '../../lamps.js'

const lamps = new Lamps()
const world = useWorld({
  platforms: [lamps],
  changed: { targets: { hall: { platform: 'lamps', settings: { bridge: 'hall' } } } },
})
beforeEach(() => lamps.bridge('hall').clear())

const lamp = (name: string, colour = 'red'): string =>
  `apiVersion: lamps/v1\nkind: Lamp\nmetadata: { name: ${name} }\nspec: { colour: ${colour} }\n`

/** Without a fault: it is repaired. */
function breakLamp(name: string, fault?: string): void {
  for (const device of lamps.bridge('hall').values()) if (device.state['name'] === name) device.fault = fault
}

async function create(names: readonly string[], settings: Parameters<ReturnType<typeof world>['create']>[1] = {}) {
  await world().push(names.map((name) => lamp(name)).join('---\n'))
  return world().create('lights', { target: 'hall', ...settings })
}

/** The stack after the next drift check. */
async function checked(): Promise<StackView> {
  const { checkedAt } = await world().ask.getStack('lights')
  world().clock.advance(330_000)
  return until('it is checked', async () => {
    const view = await world().ask.getStack('lights')
    return view.checkedAt !== checkedAt && view.checkedAt !== null && view
  })
}

const healthy = { health: 'Healthy', unhealthy: null, status: { state: 'Synced' } }

describe('a stack with a broken resource', () => {
  test('is Degraded in every view, with the reason and the next step, until it works again', async () => {
    await create(['door', 'roof'])
    expect(await world().ask.getStack('lights')).toMatchObject(healthy)
    breakLamp('door', 'The bulb is burnt out.')
    const view = await checked()
    const message = 'Lamp/door is unhealthy. The bulb is burnt out.'
    const since = view.checkedAt
    expect(view).toMatchObject({
      sync: 'Synced',
      health: 'Degraded',
      status: { state: 'Degraded', reason: 'Unhealthy', message, since },
      unhealthy: { count: 1, first: [{ address: 'Lamp/door', reason: 'The bulb is burnt out.' }], since },
    })
    expect(view.conditions).toMatchObject([
      { type: 'Ready', status: true },
      { type: 'Reconciling', status: false },
      { type: 'Stalled', status: false },
      { type: 'Healthy', status: false, reason: 'Unhealthy', message },
    ])
    const { status, blockers, checkedAt, text } = await world().ask.explainStack('lights')
    expect([status.state, checkedAt]).toEqual(['Degraded', since])
    expect(blockers).toMatchObject([
      {
        reason: 'Unhealthy',
        message,
        next: [{ cli: 'gitmoor explain lights Lamp/door' }, { cli: 'gitmoor wait lights --for healthy' }],
      },
    ])
    expect(text).toContain('The last check was at ')
    const listed = async (filter: object): Promise<readonly string[]> =>
      (await world().ask.listStacks(filter)).items.map(({ name }) => name)
    expect(await listed({ states: ['Degraded'] })).toEqual(['lights'])
    expect(await listed({ needs: 'person' })).toEqual(['lights'])
    expect(await listed({ states: ['Synced'] })).toEqual([])
    const { checks } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'stack lights')).toMatchObject({ state: 'warning', message })
    const { states, stacks } = await world().call(readMetrics)
    expect([states.get('Degraded'), states.get('Synced'), stacks[0]?.unhealthy]).toEqual([1, 0, 1])

    breakLamp('door')
    expect(await checked()).toMatchObject(healthy)
    expect((await world().call(readMetrics)).stacks).toMatchObject([{ unhealthy: 0 }])
  })

  test('keeps its first time through later checks and a restart, and names what is broken now', async () => {
    await create(['door', 'roof'])
    breakLamp('roof', 'It flickers.')
    const { checkedAt: since } = await checked()
    breakLamp('door', 'It is dark.')
    await checked()
    await world().restart()
    expect((await world().ask.getStack('lights')).unhealthy).toEqual({
      count: 2,
      first: [
        { address: 'Lamp/door', reason: 'It is dark.' },
        { address: 'Lamp/roof', reason: 'It flickers.' },
      ],
      since,
    })
  })

  test('is an event when it breaks and when it works again, and none at the checks between', async () => {
    const events: string[] = []
    const stop = await world().ask.watchEvents({}, ({ type, stack }) => void events.push(`${type} ${stack}`))
    let marks = 0
    /** Events are published in order: that of a new stack comes after all that happened before. */
    const published = async (): Promise<readonly string[]> => {
      const name = `mark-${++marks}`
      await world().ask.createStack(world().spec(name, { path: 'nothing', target: 'hall' }), 'ann')
      await until('it is published', () => events.includes(`stack.created ${name}`))
      return events.splice(0).filter((event) => event.endsWith(' lights'))
    }
    await create(['door'])
    await until('its run ended', () => events.includes('run.ended lights'))
    await published()
    breakLamp('door', 'It is dark.')
    await checked()
    expect(await published()).toEqual(['stack.changed lights'])
    await checked()
    expect(await published()).toEqual([])
    breakLamp('door')
    await checked()
    expect(await published()).toEqual(['stack.changed lights'])
    stop()
  })

  test('counts all of them, names the first 5, and prints reasons short and on one line', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    await create(names)
    for (const name of names) breakLamp(name, `Line 1\n\u202e${' dark'.repeat(100)}`)
    const { unhealthy, status } = await checked()
    expect([unhealthy!.count, unhealthy!.first.map(({ address }) => address.slice(-1)).join('')]).toEqual([7, 'abcde'])
    const { reason } = unhealthy!.first[0]!
    expect([reason.length <= 302, reason.endsWith(' dark …'), /[\n\u202e]/.test(reason)]).toEqual([true, true, false])
    expect(status.message).toMatch(/^Lamp\/a is unhealthy\. Line 1.* 6 more resources are unhealthy\.$/)
    expect((await world().ask.explainStack('lights')).blockers).toHaveLength(5)
  })

  test('is Drifted first if it differs, too, and reports both', async () => {
    await create(['door', 'roof'], { drift: 'report' })
    breakLamp('door', 'It is dark.')
    for (const device of lamps.bridge('hall').values()) device.state = { ...device.state, colour: 'blue' }
    expect((await checked()).status).toMatchObject({ state: 'Drifted', also: ['Unhealthy'] })
  })

  test('stays Degraded after a run that writes it, and no longer if the run removes it', async () => {
    await create(['door', 'roof'])
    breakLamp('door', 'It is dark.')
    await checked()
    await world().push([lamp('door', 'green'), lamp('roof')].join('---\n'))
    expect((await world().sync('lights')).outcome).toBe('applied')
    expect(await world().ask.getStack('lights')).toMatchObject({
      status: { state: 'Degraded' },
      unhealthy: { count: 1 },
    })
    await world().push(lamp('roof'))
    expect((await world().sync('lights')).outcome).toBe('applied')
    expect(await world().ask.getStack('lights')).toMatchObject(healthy)
  })

  test('is found by a run that changes nothing', async () => {
    await create(['door'])
    breakLamp('door', 'It is dark.')
    expect((await world().sync('lights')).outcome).toBe('unchanged')
    expect((await world().ask.getStack('lights')).status.state).toBe('Degraded')
  })

  test('does not keep stacks that depend on it from their runs', async () => {
    await create(['door'])
    breakLamp('door', 'It is dark.')
    await checked()
    const run = await world().create('more', { target: 'hall', dependsOn: ['lights'] })
    expect(run.outcome).toBe('applied')
  })

  test('has a reason without the secrets that gitmoor knows', async () => {
    await create(['door'])
    breakLamp('door', 'Cannot reach http://ann:pass-word@hub/door.')
    const { unhealthy } = await checked()
    expect(unhealthy!.first[0]!.reason).toBe('Cannot reach http://(redacted)@hub/door.')
  })
})

describe('the explanation of a resource', () => {
  test('says whether it works now, as its target says', async () => {
    await create(['door', 'roof'])
    breakLamp('door', 'It is dark.')
    expect((await world().ask.explainResource('lights', 'Lamp/door')).unhealthy).toBe('It is dark.')
    expect((await world().ask.explainResource('lights', 'Lamp/roof')).unhealthy).toBe(null)
    breakLamp('door', 'Cannot reach http://ann:pass-word@hub/door.')
    const { unhealthy } = await world().ask.explainResource('lights', 'Lamp/door')
    expect(unhealthy).toBe('Cannot reach http://(redacted)@hub/door.')
  })
})

describe('waiting for health', () => {
  const wait = (timeoutMs = 60_000): Promise<StackView> =>
    world().ask.waitForStack('lights', { for: 'healthy', timeoutMs }, never)

  test('has the stack checked at once, and ends if everything works', async () => {
    await create(['door'])
    const { checkedAt } = await world().ask.getStack('lights')
    world().clock.advance(1_000)
    const view = await wait()
    expect(view).toMatchObject(healthy)
    expect(Date.parse(view.checkedAt!) - Date.parse(checkedAt!)).toBe(1_000)
  })

  test('does not end while a resource is broken that no check found yet, but after its repair', async () => {
    await create(['door'])
    breakLamp('door', 'It is dark.')
    const waiting = wait()
    await until('the check found it', async () => (await world().ask.getStack('lights')).unhealthy !== null)
    breakLamp('door')
    world().clock.advance(5_000)
    expect(await waiting).toMatchObject(healthy)
  })

  test('ends at the time limit with the broken resource', async () => {
    await create(['door'])
    breakLamp('door', 'It is dark.')
    expect(await refusal(wait(1_000))).toMatchObject({
      status: 'timeout',
      code: 'stacks/unhealthy',
      message: 'lights is not healthy after 1 s. Lamp/door is unhealthy. It is dark.',
      hint: 'See why: gitmoor explain lights',
    })
  })

  test('is refused if nothing checks the stack', async () => {
    await create(['door'], { drift: 'ignore' })
    expect(await refusal(wait())).toMatchObject({ status: 'conflict', code: 'stacks/health-unchecked' })
    expect((await world().ask.getStack('lights')).checkedAt).not.toBe(null)
  })

  test('is not needed to wait for the sync: health does not count', async () => {
    await create(['door'])
    breakLamp('door', 'It is dark.')
    await checked()
    const view = await world().ask.waitForStack('lights', { timeoutMs: 60_000 }, never)
    expect(view.status.state).toBe('Degraded')
  })
})
