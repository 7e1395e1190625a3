// Which stacks may be depended on, and what is refused.
import { describe, expect, test } from 'vitest'
import type { StackSpec } from '../../../src/model/stacks/stack.js'
import { cycleFrom } from '../../../src/stacks/status/dependencies.js'
import { declareStacks } from '../../../src/stacks/changes/declare-stacks.js'
import { label } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const cycles: Readonly<
  Record<string, readonly [graph: Readonly<Record<string, readonly string[]>>, cycle: string | undefined]>
> = {
  'a chain has none': [{ c: ['b'], b: ['a'], a: [] }, undefined],
  'two paths to one stack are not a cycle': [{ c: ['a', 'b'], a: ['d'], b: ['d'], d: [] }, undefined],
  'a stack that depends on itself is one': [{ c: ['c'] }, 'c c'],
  'the shortest cycle is reported': [{ c: ['a', 'b'], a: ['b'], b: ['c'] }, 'b c b'],
  'it is reported from its first name on': [{ c: ['b'], b: ['a'], a: ['c'] }, 'a c b a'],
  'one that it only leads to is not its own': [{ c: ['a'], a: ['b'], b: ['a'] }, undefined],
}

test.each(Object.entries(cycles))('cycles: %s', (_, [graph, cycle]) => {
  expect(cycleFrom('c', new Map(Object.entries(graph)))?.join(' ')).toBe(cycle)
})

const world = useWorld()

async function chain(): Promise<void> {
  await world().push(label('red'))
  await world().create('a')
  await world().create('b', { dependsOn: ['a'] })
  await world().create('c', { dependsOn: ['b'] })
}

describe('over the API', () => {
  test('a name that no stack has is refused, and nothing is made', async () => {
    const refused = await refusal(world().ask.createStack(world().spec('a', { dependsOn: ['b', 'd'] }), 'ann'))
    expect(refused).toMatchObject({
      status: 'usage',
      code: 'stacks/dependency-unknown',
      message: expect.stringContaining('b, d') as string,
    })
    expect((await world().ask.listStacks({})).items).toEqual([])
  })

  test('stacks that would wait for each other are refused, with the way round', async () => {
    await chain()
    expect(await refusal(world().ask.updateStack('a', { dependsOn: ['c'] }, 'ann'))).toMatchObject({
      code: 'stacks/dependency-cycle',
      message: 'Stacks would wait for each other: a → c → b → a.',
    })
    expect((await world().ask.getStack('a')).spec.dependsOn).toEqual([])
  })

  test('after an uninstall, the stacks that depend on the stack stop that first', async () => {
    await chain()
    const { digest } = await world().ask.previewPlan('a', { uninstall: true }, never)
    await world().ask.uninstallStack('a', { digest, by: 'ann' }, never)
    const removal = "gitmoor stack set b --depends-on ''"
    const steps = [removal, 'gitmoor stack delete a', 'gitmoor resume a']
    const { blockers, status } = await world().ask.explainStack('a')
    expect([blockers[0]!.next, status.next].map((next) => next.map(({ cli }) => cli))).toEqual([steps, steps])
    await world().push(label('blue'))
    world().clock.advance(66_000)
    const check = await until('b waits', async () => {
      const { checks } = await world().ask.diagnose(never)
      return checks.find(({ name }) => name === 'stack b')
    })
    expect(check.next?.split('\n')[0]).toBe(`Remove a from \`dependsOn\` of b: ${removal}`)
  })

  test('a stack that others depend on is not deleted; the answer names them', async () => {
    await chain()
    expect(await refusal(world().ask.deleteStack('a', { by: 'ann' }, never))).toMatchObject({
      code: 'stacks/needed',
      message: 'b depends on a.',
      hint: "Remove a from `dependsOn` of b: gitmoor stack set b --depends-on ''",
    })
    await world().ask.updateStack('b', { dependsOn: [] }, 'ann')
    await world().ask.deleteStack('a', { by: 'ann' }, never)
  })

  test('a stack that others depend on is deleted after the commands that the answer gives', async () => {
    await chain()
    await world().create('d', { dependsOn: ['a', 'c'] })
    expect(await refusal(world().ask.deleteStack('a', { by: 'ann' }, never))).toMatchObject({
      message: 'b, d depend on a.',
      hint:
        "Remove a from `dependsOn` of b: gitmoor stack set b --depends-on ''\n" +
        'Remove a from `dependsOn` of d: gitmoor stack set d --depends-on c',
    })
  })
})

describe('in the configuration file', () => {
  const declare = (...specs: readonly StackSpec[]): ReturnType<typeof declareStacks> =>
    declareStacks(specs, { sync: world().agent.sync, scheduler: world().agent })

  test('a stack may be declared before its dependency', async () => {
    await world().push(label('red'))
    expect(await declare(world().spec('apps', { dependsOn: ['base'] }), world().spec('base'))).toEqual([])
    await until('both are synced', async () => (await world().ask.listStacks({ sync: 'Synced' })).items.length === 2)
  })

  test('a stack that others depend on is not deleted; the answer says where they are declared', async () => {
    await world().push(label('red'))
    await world().create('base')
    await declare(world().spec('apps', { dependsOn: ['base'] }))
    const hint = async (): Promise<string | undefined> =>
      (await refusal(world().ask.deleteStack('base', { by: 'ann' }, never))).hint
    expect(await hint()).toBe('Remove base from `dependsOn` of apps in the configuration file')
    await declare()
    expect(await hint()).toBe('Delete apps first: gitmoor stack delete apps')
  })

  test('a cycle of stacks is reported once, and the other stacks are created', async () => {
    const specs = [
      world().spec('a', { dependsOn: ['b'] }),
      world().spec('b', { dependsOn: ['c'] }),
      world().spec('c', { dependsOn: ['a'] }),
      world().spec('d'),
    ]
    expect(await declare(...specs)).toMatchObject([
      { code: 'stacks/dependency-cycle', message: expect.stringContaining('a → b → c → a') as string },
    ])
    expect((await world().ask.listStacks({})).items.map(({ name }) => name)).toEqual(['d'])
  })

  test('what vanishes from it is suspended, and what depends on it waits', async () => {
    await world().push(label('red'))
    const [base, apps] = [world().spec('base'), world().spec('apps', { dependsOn: ['base'] })]
    await declare(base, apps)
    await until('both are synced', async () => (await world().ask.listStacks({ sync: 'Synced' })).items.length === 2)
    expect(await declare(apps)).toMatchObject([])
    expect(await world().ask.explainStack('apps')).toMatchObject({ dependencies: [{ name: 'base', ready: false }] })
  })
})
