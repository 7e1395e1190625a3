import { describe, expect, test } from 'vitest'
import { readConfiguration, type Configuration } from '../../src/config/config.js'
import { restartKeys, RunningConfiguration, takenByReload } from '../../src/config/reload.js'
import { countProblems, type Problem } from '../../src/model/problem.js'
import { platforms } from '../../src/platforms.js'

const main: Configuration = { ...readConfiguration(undefined, { platforms }).value!, file: '/etc/gitmoor.yaml' }
const staging = { platform: 'embedded', settings: { organisation: 'staging' } } as const
const credential = { name: 'ours', match: 'https://a.example/', token: '${env:TOKEN}' }
const invalid: Problem = { severity: 'error', code: 'config/invalid', message: 'It is wrong.' }

const reloads: Readonly<Record<string, readonly [changed: Partial<Configuration>, restart: readonly string[]]>> = {
  'nothing changed': [{}, []],
  'credentials, connections, keys, webhooks, channels and stacks': [
    { credentials: [credential], connections: [], keys: [], webhooks: [], channels: [], stacks: [] },
    [],
  ],
  'a removed target': [{ targets: {} }, []],
  'a new target': [{ targets: { ...main.targets, staging }, declaredTargets: ['staging'] }, []],
  'a changed target': [{ targets: { local: staging } }, []],
  'secrets that stacks may name': [
    { allow: { ...main.allow, secrets: { environment: ['PAGER_KEY'], files: [] } } },
    ['allow.secrets'],
  ],
  'limits and the address': [
    { limits: { ...main.limits, concurrency: 3 }, listen: { host: '127.0.0.1', port: 1 } },
    ['listen', 'limits'],
  ],
}

test.each(Object.entries(reloads))('%s: the keys that need a restart', (_, [changed, restart]) => {
  expect(restartKeys(main, { ...main, ...changed })).toEqual(restart)
})

test('what needs a restart keeps its value, and the rest is taken', () => {
  const read = {
    ...main,
    credentials: [credential],
    limits: { ...main.limits, concurrency: 3 },
    targets: { local: staging, staging },
  }
  const taken = takenByReload(main, read)
  expect(taken).toEqual({ ...main, credentials: [credential], targets: { local: staging, staging } })
  expect(restartKeys(taken, read)).toEqual(['limits'])
  expect(restartKeys(taken, main)).toEqual([])
})

describe('a reload', () => {
  function running(refused: readonly Problem[] = []) {
    const replaced: Configuration[] = []
    let now = 1_000
    const configuration = new RunningConfiguration(main, {
      prepare: async () => {},
      replace: (read) => void replaced.push(read),
      declare: async () => refused,
      clock: { now: () => now },
    })
    return { configuration, replaced, at: (ms: number) => void (now = ms) }
  }

  test('of an invalid file replaces nothing, and is visible until a later one is accepted', async () => {
    const { configuration, replaced, at } = running()
    at(2_000)
    expect(await configuration.reload(() => ({ value: undefined, problems: [invalid] }))).toEqual({
      accepted: false,
      problems: [invalid],
    })
    expect(replaced).toEqual([])
    expect(configuration.inForce).toBe(main)
    expect(configuration.status).toMatchObject({ loadedAt: 1_000, refused: { at: 2_000, problems: [invalid] } })
    at(3_000)
    expect(await configuration.reload(() => ({ value: main, problems: [] }))).toMatchObject({ accepted: true })
    expect(configuration.status).toMatchObject({ loadedAt: 3_000, refused: null })
  })

  test('of an empty file is refused, unless nothing is taken from the settings', async () => {
    const empty = { severity: 'warning', code: 'config/empty', message: 'Nothing.' } as const
    const { configuration } = running()
    const defaults = async (): Promise<unknown> => configuration.reload(() => ({ value: main, problems: [empty] }))
    expect(await defaults()).toMatchObject({ accepted: true })
    const policies = [{ ref: 'stable', moves: 'forward-only' }] as unknown as Configuration['channels']
    await configuration.reload(() => ({ value: { ...main, channels: policies }, problems: [] }))
    expect(await defaults()).toMatchObject({ accepted: false, problems: [{ severity: 'error', code: 'config/empty' }] })
    expect(configuration.inForce.channels).toBe(policies)
    expect(configuration.status.refused?.problems).toHaveLength(1)
  })

  test('keeps the first problems, and counts the others', async () => {
    const problems = Array.from({ length: 5_000 }, () => invalid)
    const { configuration } = running(problems)
    await configuration.start()
    await configuration.reload(() => ({ value: undefined, problems }))
    const { refused, refusedStacks } = configuration.status
    expect([refused!.problems.length, refusedStacks.length]).toEqual([1_000, 1_000])
    expect([countProblems(refused!.problems), countProblems(refusedStacks)]).toEqual([5_000, 5_000])
  })

  test('keeps the settings that need a restart until the file has their former value again', async () => {
    const { configuration, replaced } = running()
    const other = { ...main, hosts: ['moor.example'], credentials: [credential] }
    await configuration.reload(() => ({ value: other, problems: [] }))
    expect(configuration.status.needsRestart).toEqual(['hosts'])
    expect(replaced).toEqual([{ ...main, credentials: [credential] }])
    await configuration.reload(() => ({ value: main, problems: [] }))
    expect(configuration.status.needsRestart).toEqual([])
  })

  test('reports stacks that are refused, at the start and later', async () => {
    const { configuration } = running([invalid])
    await configuration.start()
    expect(configuration.status.refusedStacks).toEqual([invalid])
  })

  test('waits for the one before, so that the newest file is in force in the end', async () => {
    const events: string[] = []
    const configuration = new RunningConfiguration(main, {
      prepare: async () => {},
      replace: ({ hosts }) => void events.push(`replace ${hosts.join()}`),
      declare: async () => {
        await Promise.resolve()
        events.push('declared')
        return []
      },
      clock: { now: () => 0 },
    })
    const read = (name: string) => () => {
      events.push(`read ${name}`)
      return { value: { ...main, stacks: [] }, problems: [] }
    }
    await Promise.all([configuration.reload(read('a')), configuration.reload(read('b'))])
    expect(events).toEqual(['read a', 'replace ', 'declared', 'read b', 'replace ', 'declared'])
  })

  test('after one that failed, works', async () => {
    let fails = true
    const configuration = new RunningConfiguration(main, {
      prepare: async () => {},
      replace: () => {},
      declare: async () => {
        if (fails) throw new Error('no room')
        return []
      },
      clock: { now: () => 0 },
    })
    await expect(configuration.reload(() => ({ value: main, problems: [] }))).rejects.toThrow('no room')
    fails = false
    expect(await configuration.reload(() => ({ value: main, problems: [] }))).toMatchObject({ accepted: true })
  })
})
