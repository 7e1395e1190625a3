// A fleet of the configuration file keeps one stack for each directory.
import { describe, expect, test } from 'vitest'
import { openContext } from '../../../src/stacks/context.js'
import { notifiedRemotes } from '../../../src/webhooks/notified-remotes.js'
import { hookOf } from '../../webhooks/senders.js'
import { readMetrics } from '../../../src/stacks/status/metrics.js'
import { label } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { declareFleets, fleetSpec, listedFleet, pushTeams, stacksIn } from './fleet-world.js'

const world = useWorld()

function isListed({ listing }: Parameters<Parameters<typeof listedFleet>[1]>[0], directories: number): boolean {
  return (
    listing !== null && 'directories' in listing && listing.directories === directories && listing.problems.length === 0
  )
}

function hasProblem(code: string): Parameters<typeof listedFleet>[1] {
  return ({ listing }) => listing!.problems.some((problem) => problem.code === code)
}

async function started(...teams: readonly string[]): Promise<void> {
  await pushTeams(world(), ...teams)
  await declareFleets(world(), fleetSpec(world().url))
  await listedFleet(world(), (fleet) => isListed(fleet, teams.length))
}

test('each directory becomes a stack, which is synced', async () => {
  await started('web', 'api')
  await until('both are applied', async () => (await world().names()).length === 2)
  expect(await world().names()).toEqual(['Label/api', 'Label/web'])
  expect(await world().ask.getStack('web')).toMatchObject({
    managedBy: 'fleet:boards',
    lastRun: { cause: { kind: 'created', by: 'fleet:boards' } },
    spec: { sources: [{ url: world().url, ref: 'main', path: 'teams/web' }] },
  })
})

test('a directory that appears becomes a stack', async () => {
  await started('web')
  await pushTeams(world(), 'web', 'api')
  await listedFleet(world(), (fleet) => isListed(fleet, 2))
  await until('the new one is applied', async () => (await world().names()).length === 2)
  expect(await stacksIn(world())).toEqual({ api: null, web: null })
})

test('changed settings of the template change every stack', async () => {
  await started('web', 'api')
  await declareFleets(world(), fleetSpec(world().url, {}, { template: { maxDeletes: 3 } }))
  await until('both have them', async () => {
    const stacks = await Promise.all(['web', 'api'].map((name) => world().ask.getStack(name)))
    return stacks.every(({ spec }) => spec.maxDeletes === 3)
  })
})

describe('a directory that vanishes', () => {
  async function vanished(): Promise<void> {
    await started('web', 'api')
    await until('both are applied', async () => (await world().names()).length === 2)
    await pushTeams(world(), 'api')
    await listedFleet(world(), (fleet) => isListed(fleet, 1))
  }

  test('suspends its stack, which keeps its resources until a person deletes it', async () => {
    await vanished()
    const { api, web } = await stacksIn(world())
    expect(api).toBeNull()
    expect(web).toMatch(/^teams\/web is not in the listing of fleet boards at main@[0-9a-f]{7}$/)
    expect(await world().names()).toEqual(['Label/api', 'Label/web'])
    const { digest } = await world().ask.previewPlan('web', { uninstall: true }, never)
    await world().ask.deleteStack('web', { uninstall: digest, by: 'ann' }, never)
    expect(await world().names()).toEqual(['Label/api'])
    expect(await stacksIn(world())).toEqual({ api: null })
  })

  test('is to be brought back, before any next step that deletes its stack', async () => {
    await vanished()
    const { next } = (await world().ask.getStack('web')).status
    expect(next.map(({ purpose }) => purpose)).toEqual([
      'Bring it back into fleet boards',
      'Or delete it and keep its resources',
      'Or delete it with its resources',
    ])
  })

  test('fails no run of its stack: the runs of a fleet wait for its listing', async () => {
    await started('web', 'api')
    await world().repository.commit({ files: { 'others/labels.yml': label('other') } })
    await world().create('others', { path: 'others' })
    await world().agent.fleets.exclusively('boards', never, async () => {
      await world().repository.commit({ removed: ['teams/web'], files: { 'others/labels.yml': label('newer') } })
      await until('a stack of no fleet is applied', async () => {
        world().clock.advance(20_000)
        return (await world().names()).includes('Label/newer')
      })
    })
    await listedFleet(world(), (fleet) => isListed(fleet, 1))
    expect(await world().ask.getStack('web')).toMatchObject({ status: { state: 'Suspended', also: [] } })
    expect(world().log.filter(({ message }) => message === 'run failed')).toEqual([])
    expect((await world().ask.getStack('api')).status.state).not.toBe('Suspended')
  })

  test('and comes back continues its stack', async () => {
    await vanished()
    await pushTeams(world(), 'api', 'web')
    await listedFleet(world(), (fleet) => isListed(fleet, 2))
    expect(await stacksIn(world())).toEqual({ api: null, web: null })
  })
})

describe('changes nothing, and says why,', () => {
  test('if the listing is empty', async () => {
    await started('web')
    await world().repository.commit({ removed: ['teams'], files: { 'README.md': 'y' } })
    await listedFleet(world(), hasProblem('fleets/empty'))
    expect(await stacksIn(world())).toEqual({ web: null })
    expect(world().log).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'fleet changes nothing' }) as unknown,
    )
  })

  test('if the repository is unreachable', async () => {
    await started('web')
    const { repository } = world()
    await repository.remove('refs/heads/main')
    await listedFleet(world(), hasProblem('source/ref-missing'))
    expect(await stacksIn(world())).toEqual({ web: null })
  })

  test('if more directories match than maxStacks', async () => {
    await pushTeams(world(), 'a', 'b', 'c')
    await declareFleets(world(), fleetSpec(world().url, {}, { maxStacks: 2 }))
    await listedFleet(world(), hasProblem('fleets/too-many'))
    expect(await stacksIn(world())).toEqual({})
  })

  test('if another stack has the name of one, and continues once the name is free', async () => {
    await world().push(label('red'))
    await world().create('web', { path: 'package.yml' })
    await pushTeams(world(), 'api', 'web')
    await declareFleets(world(), fleetSpec(world().url))
    await listedFleet(world(), hasProblem('fleets/stack'))
    expect(await stacksIn(world())).toEqual({ web: null })
    await world().ask.deleteStack('web', { by: 'ann' }, never)
    await listedFleet(world(), (fleet) => isListed(fleet, 2))
    expect(await stacksIn(world())).toEqual({ api: null, web: null })
  })
})

test('its stacks are changed in the fleet, and nowhere else', async () => {
  await started('web')
  expect(await refusal(world().ask.updateStack('web', { intervalMs: 30_000 }, 'ann'))).toMatchObject({
    status: 'conflict',
    code: 'stacks/managed-by-fleet',
  })
})

test('without the fleet in the file its stacks are suspended; with it, they continue', async () => {
  await started('web')
  await declareFleets(world())
  expect(await stacksIn(world())).toEqual({ web: 'fleet boards is no longer declared in the configuration file' })
  await declareFleets(world(), fleetSpec(world().url))
  await until('it continues', async () => (await stacksIn(world()))['web'] === null)
})

test('after a crash before its stacks were suspended, the next agent suspends them', async () => {
  await started('web')
  const { spec } = (await world().store.fleets.get('boards'))!
  await world().store.fleets.put({ spec, managedBy: 'file', declared: false })
  await world().restart()
  await world().declare()
  expect(await stacksIn(world())).toEqual({ web: 'fleet boards is no longer declared in the configuration file' })
})

test('requests take over a fleet that no file declares any more, also without the file', async () => {
  await started('web')
  await declareFleets(world())
  await world().restart({ file: false })
  await world().ask.applyFleet(fleetSpec(world().url), { name: 'boards' }, never)
  const { conditions } = await world().ask.getStack('web')
  expect(conditions.map(({ reason }) => reason)).not.toContain('ConfigurationMissing')
})

test('an agent without the configuration file leaves the fleet and its stacks alone', async () => {
  await started('web')
  await world().restart({ file: false })
  await pushTeams(world(), 'web', 'api')
  world().clock.advance(70_000)
  const { conditions } = await until('it is refused', async () => {
    const stack = await world().ask.getStack('web')
    return stack.conditions.some(({ reason }) => reason === 'ConfigurationMissing') && stack
  })
  expect(conditions[0]?.message).toContain('Fleet boards of web is declared in')
  const { checks } = await world().ask.diagnose(never)
  expect(checks.filter(({ name }) => name === 'configuration').map(({ message }) => message)).toEqual([
    expect.stringMatching(/^1 stack is declared in .* neither polls nor applies it\.$/),
  ])
  expect(await stacksIn(world())).toEqual({ web: null })
})

test('the next agent lists again, also what changed meanwhile', async () => {
  await started('web')
  await world().stop()
  await pushTeams(world(), 'web', 'api')
  await world().start({ changed: { fleets: [fleetSpec(world().url)] } })
  await world().declare()
  await listedFleet(world(), (fleet) => isListed(fleet, 2))
  expect(await stacksIn(world())).toEqual({ api: null, web: null })
})

describe('a problem of the listing', () => {
  async function troubled(): Promise<void> {
    await started('web')
    await world().repository.commit({ removed: ['teams'], files: { 'README.md': 'y' } })
    await listedFleet(world(), hasProblem('fleets/empty'))
  }

  test('is a problem of the doctor, with what to do', async () => {
    await troubled()
    const { checks } = await world().ask.diagnose(never)
    expect(checks.filter(({ name }) => name.startsWith('fleet'))).toEqual([
      {
        name: 'fleet boards',
        state: 'problem',
        message: expect.stringMatching(
          /^The listing of .* changed nothing: No directory of .* at main has package files and matches teams\/\*\.$/,
        ) as string,
        next: expect.stringContaining('Change `include`, or push a package.') as string,
      },
    ])
  })

  test('is in the explanation of its stacks', async () => {
    await troubled()
    const { fleet, text } = await world().ask.explainStack('web')
    expect(fleet).toMatchObject({ name: 'boards', problems: [{ code: 'fleets/empty' }] })
    expect(text).toContain('Fleet boards declares it.\nFleet boards changes nothing: No directory of')
  })

  test('is counted in the metrics', async () => {
    await troubled()
    const { fleets } = await world().call(readMetrics)
    expect(fleets).toEqual([{ name: 'boards', stacks: 1, undeclared: 0, problems: 1 }])
  })
})

test('the doctor counts fleets without problems, and names those that no file declares any more', async () => {
  await started('web')
  const checks = async (): Promise<readonly string[]> =>
    (await world().ask.diagnose(never)).checks
      .filter(({ name }) => name.startsWith('fleet'))
      .map(({ name, state, message }) => `${name} ${state}: ${message}`)
  expect(await checks()).toEqual(['fleets ok: 1, none needs attention'])
  await declareFleets(world())
  expect(await checks()).toEqual([
    'fleet boards warning: The configuration file no longer declares it, and its stacks are suspended.',
  ])
})

test('a veto also takes back the listing: a stack of the vetoed commit is suspended', async () => {
  await started('web')
  await pushTeams(world(), 'web', 'api')
  await listedFleet(world(), (fleet) => isListed(fleet, 2))
  const [move] = (await world().ask.listMoves('main', {})).items
  await world().ask.vetoMove(move!.id, { why: 'too early', by: 'ann' })
  await listedFleet(world(), (fleet) => isListed(fleet, 1))
  expect((await stacksIn(world()))['api']).toContain('teams/api is not in the listing of fleet boards')
})

test('a webhook about a ref that only the fleet follows has it polled', async () => {
  await world().repository.commit({ files: { 'README.md': 'x' } })
  await declareFleets(world(), fleetSpec(world().url))
  await listedFleet(world(), hasProblem('fleets/empty'))
  const remote = world().url
  const context = openContext({ sync: world().agent.sync, scheduler: world().agent, clock: world().clock })
  const content = { event: 'push', repositories: [remote], changes: [{ ref: 'refs/heads/main' }] }
  expect(await notifiedRemotes(hookOf('github'), content, context)).toEqual([{ remote, changes: content.changes }])
})
