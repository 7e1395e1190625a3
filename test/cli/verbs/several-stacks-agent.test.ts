// Labels and selectors with a whole agent.
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RunningServer } from '../../../src/api/server/server.js'
import { sampleToken, serveAgent } from '../../api/request-api.js'
import { label, yaml } from '../../e2e/packages.js'
import { useWorld } from '../../e2e/world.js'
import { until } from '../../e2e/until.js'
import { typeLine, type Typed, type TypeOptions } from '../type-command.js'

const world = useWorld()
let served: RunningServer

beforeEach(async () => {
  served = await serveAgent(world().call)
  await world().push(label('red'), 'stable')
})
afterEach(() => served.close())

function type(line: string, options: TypeOptions = {}): Promise<Typed> {
  const environment = { GITMOOR_URL: served.url, GITMOOR_TOKEN: sampleToken }
  return typeLine(line, { environment, cwd: world().root, now: () => world().clock.now(), ...options })
}

test('stacks are labelled, listed, planned, synced, waited for, suspended and resumed by their labels', async () => {
  for (const name of ['a', 'b', 'c']) {
    const { code } = await type(
      `stack create ${name} --repo ${world().url} --ref stable --target ${name === 'c' ? 'other' : 'local'} --label team=ops`,
    )
    expect(code).toBe(0)
  }
  expect((await type('stack set c --label team=data --label tier=edge')).stdout).toBe(
    'Changed c.\n      labels.team: "ops" → "data"\n      labels.tier: (none) → "edge"\n',
  )
  const listed = JSON.parse((await type('stack list -l team=ops --json')).stdout)
  expect(listed.items.map((one: { readonly name: string }) => one.name)).toEqual(['a', 'b'])

  await world().push(yaml(label('red'), label('blue')), 'stable')
  const planned = await type('plan -l tier --detailed-exitcode')
  expect(planned.code).toBe(2)
  expect(planned.stdout).toContain('1 stack: 1 with changes.')
  const synced = await type('sync --all')
  expect(synced.code).toBe(0)
  expect(synced.stdout.trimEnd().split('\n')).toHaveLength(4)
  expect(await world().names('other')).toEqual(['Label/blue', 'Label/red'])
  expect((await type('plan --all --detailed-exitcode')).stdout).toMatch(/\n3 stacks: 3 unchanged\.\n$/)
  expect((await type('wait --all')).stdout).toContain('3 stacks: 3 synced.')

  expect((await type('suspend -l team=ops --why audit')).stdout).toContain('2 stacks: 2 suspended.')
  const refused = await type('sync --all')
  expect(refused.code).toBe(10)
  expect(refused.stdout).toContain('a is suspended by ')
  expect((await type('resume --all')).stdout).toContain('2 stacks: 2 resumed.')
  expect((await type('resume -l team=ops')).code).toBe(9)
})

test('stacks are synced after those that they depend on; if one fails, its dependents are listed as not synced', async () => {
  await world().create('core', { ref: 'stable' })
  await world().create('apps', { ref: 'stable', target: 'other', dependsOn: ['core'], labels: { team: 'ops' } })
  await world().ask.updateStack('core', { apply: 'approval' }, 'ann')
  await world().push(yaml(label('red'), label('blue')), 'stable')
  const blocked = await type('sync --all')
  expect(blocked.code).toBe(7)
  expect(blocked.stdout).toContain(
    'apps: not synced: It waits for core, which will not become ready by itself: The plan needs approval',
  )
  expect(blocked.stdout).toMatch(/\n2 stacks: 1 not synced, 1 needs approval\.\n$/)
  expect((await type('sync -l team=ops')).code).toBe(10)
  const history = (await type('history')).stdout // one poll queues both runs, in any order
  for (const row of [/^RUN +STACK /, /\n\d+ +apps .* queued /, /\n\d+ +core .* needs approval /])
    expect(history).toMatch(row)
  expect((await type('cancel -l team=ops')).stdout).toContain('apps: cancelled. ')

  await world().ask.updateStack('core', { apply: 'auto' }, 'ann')
  expect((await type('wait core')).code).toBe(0) // otherwise `sync` may find that `core` became ready
  await world().push(yaml(label('red'), label('green')), 'stable')
  const synced = await type('sync --all')
  expect(synced.code).toBe(0)
  expect(synced.stdout).toMatch(/^core: [^]*\napps: [^]*\n2 stacks: /)
})

test('sync --all prints a stack before a slow poll of another one ends', async () => {
  const slow = world().server.makeRepository('slow')
  await slow.commit({ files: { 'package.yml': label('slow') } })
  const url = `${world().server.url}/slow.git`
  await world().create('boards', { ref: 'stable' })
  await world().create('a-slow', { sources: [{ kind: 'git', url, ref: 'main', path: '' }] })
  let release = (): void => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  world().server.intercept(({ remote }) => (remote === url ? released : undefined))
  const printed: string[] = []
  const stdout = new PassThrough().on('data', (chunk: Buffer) => printed.push(chunk.toString()))
  const typed = type('sync --all', { stdout })
  await until('the other stack is printed', async () => printed.join('').includes('boards: no changes'))
  expect(printed.join('')).not.toContain('a-slow')
  release()
  expect((await typed).code).toBe(0)
  expect(printed.join('')).toMatch(/^boards: .*\na-slow: .*\n2 stacks: 2 unchanged\.\n$/)
})

test('stack set waits for a queued run if other dependencies let it begin', async () => {
  await type(`stack create core --repo ${world().url} --ref nowhere`)
  await type(`stack create base --repo ${world().url} --ref stable`)
  const waiting = await type(`stack create apps --repo ${world().url} --ref stable --target other --depends-on core`)
  expect(waiting.code).toBe(10)
  const changed = await type('stack set apps --depends-on base')
  expect(changed).toMatchObject({ code: 0, stdout: expect.stringContaining('\napps: applied stable@') as string })
})

test('stack set says that its run corrects drift that is only reported', async () => {
  await type(`stack create boards --repo ${world().url} --ref stable --drift report`)
  await type('resource edit Label/red --set color="#123456" --yes')
  const corrects = expect.stringContaining('\nThe next run corrects the drift of 1 resource.\n') as string
  expect((await type('stack set boards --display-name Boards')).stdout).not.toContain('corrects')
  expect(await type('stack set boards --max-deletes 3 --dry-run')).toMatchObject({ code: 0, stdout: corrects })
  const asked = await type('stack set boards --max-deletes 3')
  expect(asked).toMatchObject({ code: 7, stdout: '' })
  expect(asked.stderr).toContain('also corrects the drift of 1 resource, which boards does not correct by itself.')
  expect((await world().ask.getStack('boards')).spec.maxDeletes).not.toBe(3)
  expect(await type('stack set boards --max-deletes 3 --yes')).toMatchObject({ code: 0, stdout: corrects })
  expect((await type('stack set boards --max-deletes 4')).stdout).not.toContain('corrects')
})
