// Stacks of the configuration file.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { toErrorAnswer } from '../../../src/api/error-answer.js'
import { declareStacks } from '../../../src/stacks/changes/declare-stacks.js'
import { declaredByFile } from '../../../src/stacks/stacks.js'
import { noConfigurationFile, type ConfigurationStatus } from '../../../src/model/agent/configuration-status.js'
import { releaseAtOnce } from '../../../src/channel/channel-policy.js'
import type { StackView } from '../../../src/views/stack.js'
import type { StackSpec } from '../../../src/model/stacks/stack.js'
import type { Problem } from '../../../src/model/problem.js'
import { useCases, type Ask, type UseCaseName } from '../../ask.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'
import { sha1 } from '../../source/git-world.js'

const world = useWorld()

function declare(...specs: readonly StackSpec[]): Promise<readonly Problem[]> {
  return declareStacks(specs, { sync: world().agent.sync, scheduler: world().agent })
}

async function synced(name: string): Promise<void> {
  await until(`${name} is synced`, async () => (await world().ask.getStack(name)).sync === 'Synced')
}

test('a declared stack is made, synced, and managed by the file', async () => {
  await world().push(label('red'))
  expect(await declare(world().spec('boards'))).toEqual([])
  await synced('boards')
  expect(await world().ask.getStack('boards')).toMatchObject({
    managedBy: 'file',
    lastRun: { cause: { kind: 'created', by: 'file' } },
  })
})

test('declaring it again as it is changes nothing', async () => {
  await world().push(label('red'))
  await declare(world().spec('boards'))
  await synced('boards')
  const before = await world().ask.getStack('boards')
  await declare(world().spec('boards'))
  expect((await world().ask.getStack('boards')).lastRun).toEqual(before.lastRun)
})

test('changed settings are carried out', async () => {
  await world().push(label('red'), 'stable')
  await world().push(yaml(label('red'), label('blue')), 'beta')
  await declare(world().spec('boards', { ref: 'stable' }))
  await synced('boards')
  await declare(world().spec('boards', { ref: 'beta' }))
  await until('the other ref is applied', async () => (await world().names()).length === 2)
})

describe('over the API', () => {
  test.each([
    ['set', () => world().ask.updateStack('boards', { intervalMs: 30_000 }, 'ann')],
    ['delete', () => world().ask.deleteStack('boards', { by: 'ann' }, never)],
    ['the plan of a deletion', () => world().ask.previewPlan('boards', { delete: true }, never)],
  ] as const)('%s is refused, and says where to change it', async (_, ask) => {
    await world().push(label('red'))
    await declare(world().spec('boards'))
    expect(await refusal(ask())).toMatchObject({
      status: 'conflict',
      code: 'stacks/managed-by-file',
      hint: expect.stringContaining('HUP') as string,
    })
  })

  test('the refusal names the file and the process to reload', () => {
    const configuration = (): ConfigurationStatus => ({ ...noConfigurationFile, file: '/etc/gitmoor.yaml' })
    expect(declaredByFile({ configuration }, 'boards')).toMatchObject({
      message: 'The configuration file /etc/gitmoor.yaml declares boards. Change it there.',
      hint: `Change the file, then reload it: kill -HUP ${process.pid} on the machine of the agent.`,
    })
  })

  test('its resources can be uninstalled, which leaves its declaration as it is', async () => {
    await world().push(label('red'))
    await declare(world().spec('boards'))
    await synced('boards')
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await world().ask.uninstallStack('boards', { digest, by: 'ann' }, never)
    expect(await world().names()).toEqual([])
    expect(await world().ask.getStack('boards')).toMatchObject({ managedBy: 'file', suspended: { by: 'ann' } })
  })

  test('it can be synced, suspended, resumed and rolled back', async () => {
    await world().push(label('red'))
    await declare(world().spec('boards'))
    await synced('boards')
    const first = await world().lastRun('boards')
    await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
    await declare(world().spec('boards'))
    expect((await world().ask.getStack('boards')).suspended).toMatchObject({ why: 'lunch', by: 'ann' })
    await world().ask.resumeStack('boards', 'ann')
    await world().push(yaml(label('red'), label('blue')))
    expect((await world().sync('boards')).outcome).toBe('applied')
    expect(await world().ended('boards', (await world().ask.rollBack('boards', first.id, '', 'ann')).id)).toMatchObject(
      {
        outcome: 'applied',
      },
    )
  })
})

test('a stack that is no longer declared is suspended and keeps its resources, and continues when it is declared again', async () => {
  await world().push(bucket('raw'))
  await declare(world().spec('boards'))
  await synced('boards')
  await declare()
  expect((await world().ask.getStack('boards')).suspended).toMatchObject({
    by: 'file',
    why: 'no longer declared in the configuration file',
  })
  expect(await world().names()).toEqual(['Bucket/raw'])
  await world().push(yaml(bucket('raw'), label('red')))
  await declare(world().spec('boards'))
  await until('it goes on', async () => (await world().names()).length === 2)
  expect((await world().ask.getStack('boards')).suspended).toBeNull()
})

test('one that vanished may be deleted', async () => {
  await world().push(bucket('raw'))
  await declare(world().spec('boards'))
  await synced('boards')
  await declare()
  await world().ask.deleteStack('boards', { by: 'ann' }, never)
  expect((await world().ask.listStacks({})).items).toEqual([])
})

describe('a stack that the file no longer declares', () => {
  async function vanished(): Promise<void> {
    await world().push(bucket('raw'))
    await declare(world().spec('boards'))
    await synced('boards')
    await declare()
  }

  test('is neither resumed nor suspended by a person, who gets a message that says what to do', async () => {
    await vanished()
    const expected = {
      status: 'locked',
      message: 'boards is suspended: no longer declared in the configuration file.',
      hint:
        'Declare boards in the configuration file again and send the signal HUP to the agent.\n' +
        'Or delete it: gitmoor stack delete boards',
    }
    expect(await refusal(world().ask.resumeStack('boards', 'ann'))).toMatchObject(expected)
    expect(await refusal(world().ask.suspendStack('boards', 'x', undefined, 'ann'))).toMatchObject(expected)
    expect(await refusal(world().ask.requestSync('boards', 'ann', never))).toMatchObject(expected)
  })

  test('is deleted with its resources', async () => {
    await vanished()
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await world().ask.deleteStack('boards', { uninstall: digest, by: 'ann' }, never)
    expect(await world().names()).toEqual([])
    expect((await world().ask.listStacks({})).items).toEqual([])
  })

  test('stays suspended if its uninstall is refused', async () => {
    await vanished()
    const stale = world().ask.deleteStack('boards', { uninstall: 'f'.repeat(64), by: 'ann' }, never)
    expect(await refusal(stale)).toMatchObject({ status: 'stale' })
    expect((await world().ask.getStack('boards')).suspended).toMatchObject({ by: 'file' })
    expect(await world().names()).toEqual(['Bucket/raw'])
  })

  test('can be deleted also if a person had suspended it, and else stays suspended by the person', async () => {
    await world().push(bucket('raw'))
    await declare(world().spec('boards'))
    await synced('boards')
    await world().ask.suspendStack('boards', 'lunch', undefined, 'ann')
    await declare()
    expect((await world().ask.getStack('boards')).suspended).toMatchObject({ by: 'file' })
    await declare(world().spec('boards'))
    expect((await world().ask.getStack('boards')).suspended).toEqual({ by: 'ann', why: 'lunch', until: null })
    await declare()
    await world().ask.deleteStack('boards', { by: 'ann' }, never)
    expect((await world().ask.listStacks({})).items).toEqual([])
  })
})

test('a stack of the API stays unchanged, and the file gets a problem', async () => {
  await world().push(label('red'))
  await world().create('boards')
  const before = await world().ask.getStack('boards')
  const problems = await declare(world().spec('boards', { intervalMs: 30_000 }), world().spec('others'))
  expect(problems).toMatchObject([
    {
      code: 'config/stack',
      message: expect.stringContaining('a stack of this name was created with the API') as string,
    },
  ])
  expect(await world().ask.getStack('boards')).toMatchObject({ managedBy: 'api', spec: before.spec, suspended: null })
  expect((await world().ask.getStack('others')).managedBy).toBe('file')
  await declare()
  expect((await world().ask.getStack('boards')).suspended).toBeNull()
})

test('a stack that cannot be declared has the hint of its own error; the others are declared', async () => {
  await world().push(label('red'))
  const sources = [{ kind: 'directory', directory: '/etc' }] as const
  expect(await declare({ ...world().spec('outside'), sources }, world().spec('boards'))).toMatchObject([
    {
      code: 'source/directory-not-allowed',
      message: expect.stringMatching(/^Stack outside cannot be declared: \/etc is not below/) as string,
      hint: expect.stringContaining('allow.directories') as string,
    },
  ])
  await synced('boards')
})

test('another target is refused for a stack that is there', async () => {
  await world().push(label('red'))
  await declare(world().spec('boards'))
  expect(await declare(world().spec('boards', { target: 'other' }))).toMatchObject([
    {
      message: expect.stringContaining('the target of a stack cannot change') as string,
      hint: expect.stringMatching(/^Declare the former target again\./) as string,
    },
  ])
})

test('a renamed stack is refused while the former one exists', async () => {
  await world().push(label('red'))
  await declare(world().spec('boards'))
  await synced('boards')
  const [problem] = await declare(world().spec('panels'))
  expect(problem).toMatchObject({
    code: 'config/stack',
    message: expect.stringContaining('it has the sources and the target of boards') as string,
    hint: expect.stringMatching(/^Keep the name boards in the file\. .*gitmoor stack delete boards$/) as string,
  })
  await world().ask.deleteStack('boards', { by: 'ann' }, never)
  expect(await declare(world().spec('panels'))).toEqual([])
  await synced('panels')
})

describe('under an agent that was started with another file', () => {
  const formerFile = '/etc/a.yaml'

  /** Of two stacks of the former file, the new one declares `kept`. */
  async function restarted(given: { readonly formerFile?: string } = { formerFile }): Promise<void> {
    await world().push(label('red'))
    await declare(world().spec('boards'), world().spec('kept', { target: 'other' }))
    await synced('boards')
    await synced('kept')
    await world().restart({ ...given, changed: { stacks: [world().spec('kept', { target: 'other' })] } })
    await world().declare()
  }

  const warnings = (): readonly unknown[] =>
    world()
      .log.filter(({ level, message }) => level === 'warn' && message.includes('another configuration file'))
      .map(({ facts }) => facts)

  test('a stack that only the former one declared is suspended, and the log and the doctor name both files', async () => {
    await restarted()
    const file = join(world().root, 'gitmoor.yaml')
    const { suspended, status } = await world().ask.getStack('boards')
    expect(suspended).toEqual({ by: 'file', why: `declared in /etc/a.yaml, and not in ${file}`, until: null })
    expect(status.next[0]).toMatchObject({
      purpose: 'Start the agent again with --config /etc/a.yaml, or declare boards in the configuration file again',
    })
    expect((await world().ask.getStack('kept')).suspended).toBeNull()
    expect(await world().names()).toEqual(['Label/red'])
    const problem = `1 stack is suspended (boards): /etc/a.yaml declared it, but the agent was started with ${file}, which does not.`
    const start = `gitmoor agent --config /etc/a.yaml --data ${world().root}`
    const hint = `Stop this agent, then start it with the file: ${start}\nOr declare it in ${file}\nOr delete it: gitmoor stack delete boards`
    expect(warnings()).toEqual([{ problem, hint }])
    const { checks } = await world().ask.diagnose(never)
    expect(checks).toContainEqual({ name: 'configuration', state: 'warning', message: problem, next: hint })
    expect(checks.find(({ name }) => name === 'stack boards')).toMatchObject({
      message: `Suspended: declared in /etc/a.yaml, and not in ${file}.`,
    })
  })

  test('a later start with that file says so again, and the former file continues the stack', async () => {
    await restarted()
    await world().restart({ formerFile: join(world().root, 'gitmoor.yaml') })
    await world().declare()
    expect(warnings()).toHaveLength(2)
    await declare(world().spec('boards'), world().spec('kept', { target: 'other' }))
    expect((await world().ask.getStack('boards')).suspended).toBeNull()
    await world().restart()
    await world().declare()
    expect(warnings()).toHaveLength(2)
  })

  test('the same file without the stack is not another one', async () => {
    await restarted({ formerFile: join(world().root, 'gitmoor.yaml') })
    expect((await world().ask.getStack('boards')).suspended).toMatchObject({
      why: 'no longer declared in the configuration file',
    })
    expect(warnings()).toEqual([])
  })
})

describe('under an agent that was started without the file', () => {
  async function restarted(): Promise<StackView> {
    await world().push(bucket('raw'))
    await declare(world().spec('boards'))
    await synced('boards')
    const before = await world().ask.getStack('boards')
    await world().restart({ file: false })
    return before
  }

  test('a declared stack keeps its settings and its state, and nothing is polled or applied for it', async () => {
    const before = await restarted()
    world().server.reset()
    await world().push(yaml(bucket('raw'), label('red')))
    world().clock.advance(600_000)
    const { conditions, suspended, spec, revision, lastRun } = await world().ask.getStack('boards')
    expect({ suspended, spec, revision, lastRun }).toEqual({
      suspended: null,
      spec: before.spec,
      revision: before.revision,
      lastRun: before.lastRun,
    })
    const message = 'boards is declared in a configuration file, but the agent was started without one.'
    expect(conditions[0]).toMatchObject({ status: false, message })
    expect(world().server.seen).toEqual([])
    expect(await world().names()).toEqual(['Bucket/raw'])
  })

  test('explain and the doctor say what to type, and a sync is refused with it', async () => {
    await restarted()
    const next = expect.stringContaining(`gitmoor agent --config FILE --data ${world().root}`) as string
    const steps = expect.arrayContaining([expect.objectContaining({ purpose: next })]) as unknown[]
    expect((await world().ask.explainStack('boards')).blockers).toMatchObject([{ next: steps }])
    const { checks } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'stack boards')).toMatchObject({ next })
    expect(checks.find(({ name }) => name === 'configuration')).toMatchObject({
      state: 'problem',
      message:
        '1 stack is declared in a configuration file, but the agent was started without one: gitmoor neither polls nor applies it.',
      next,
    })
    const { id } = (await world().ask.getStack('boards')).lastRun!
    for (const request of [
      () => world().ask.requestSync('boards', 'ann', never),
      () => world().ask.rollBack('boards', id, '', 'ann'),
    ])
      expect(await refusal(request())).toMatchObject({ code: 'config/not-given', hint: next })
  })

  describe('every use case', () => {
    /** Requests about `boards`, by the use case that they call. */
    const refused = {
      adoptResource: (ask) => ask.adoptResource('boards', { address: 'Bucket/raw', id: 'x', by: 'ann' }, never),
      applyPlan: (ask) =>
        ask.applyPlan({ stack: 'boards', revision: 'main@sha1:1', digest: '0'.repeat(64) }, 'ann', never),
      approvePlan: (ask) => ask.approvePlan('boards', '0'.repeat(12), 'ann', never),
      cancelRun: (ask) => ask.cancelRun('boards', 'ann'),
      deleteResource: (ask) => ask.deleteResource('Bucket/raw', { stack: 'boards', consent: 'Bucket/raw' }, never),
      deleteStack: (ask) => ask.deleteStack('boards', { by: 'ann' }, never),
      editResource: (ask) => ask.editResource('Bucket/raw', { description: 'x' }, { stack: 'boards' }, never),
      previewPackage: (ask) => ask.previewPackage('boards', [], never),
      previewPlan: (ask) => ask.previewPlan('boards', {}, never),
      previewUpdate: (ask) => ask.previewUpdate('boards', { intervalMs: 30_000 }),
      pushPackage: (ask) => ask.pushPackage('boards', { files: [] }, 'ann', never),
      releaseResource: (ask) => ask.releaseResource('boards', { address: 'Bucket/raw', by: 'ann' }, never),
      requestSync: (ask) => ask.requestSync('boards', 'ann', never),
      resumeStack: (ask) => ask.resumeStack('boards', 'ann'),
      rollBack: (ask) => ask.rollBack('boards', '1', '', 'ann'),
      suspendStack: (ask) => ask.suspendStack('boards', 'lunch', undefined, 'ann'),
      uninstallStack: (ask) => ask.uninstallStack('boards', { digest: '0'.repeat(64), by: 'ann' }, never),
      unpinStack: (ask) => ask.unpinStack('boards', 'ann'),
      updateStack: (ask) => ask.updateStack('boards', { intervalMs: 30_000 }, 'ann'),
      waitForStack: (ask) => ask.waitForStack('boards', { timeoutMs: 60_000 }, never),
    } as const satisfies Partial<Record<UseCaseName, (ask: Ask) => Promise<unknown>>>

    const reads = {
      compareRuns: (ask) => ask.compareRuns('boards', ['1', '1'], never),
      diagnose: (ask) => ask.diagnose(never),
      explainResource: (ask) => ask.explainResource('boards', 'Bucket/raw'),
      explainResources: (ask) => ask.explainResources('boards', {}),
      explainStack: (ask) => ask.explainStack('boards'),
      exportPackage: (ask) => ask.exportPackage({ stack: 'boards' }, never),
      getResource: (ask) => ask.getResource('Bucket/raw', { stack: 'boards' }, never),
      getRun: (ask) => ask.getRun('boards', '1'),
      getRunEvents: (ask) => ask.getRunEvents('boards', '1', {}),
      getStack: (ask) => ask.getStack('boards'),
      listResources: (ask) => ask.listResources({ limit: 10, stack: 'boards' }, never),
      listRuns: (ask) => ask.listRuns('boards', {}),
      listStackResources: (ask) => ask.listStackResources('boards', {}),
      getDrift: (ask) => ask.getDrift('boards'),
      listStacks: (ask) => ask.listStacks({}),
    } as const satisfies Partial<Record<UseCaseName, (ask: Ask) => Promise<unknown>>>

    /** These name no stack, or several. */
    const others =
      'applyFleet approveMove createResource createStack deleteFleet discoverPackages getConfiguration getFleet getLastEventId getMatrix ' +
      'getOverview getTarget importStack listAllRuns listChannels listDecisions listDeliveries listFleets listMessages listMoves listReceivers ' +
      'listCommits listDeletions listTargets listUnmanaged previewPromotionPlans previewUnpin ' +
      'listWebhooks previewImport ' +
      'pinChannel planFleet previewApproval previewCreate previewPin previewPromotion previewVeto promoteTag readiness ' +
      'receiveDelivery redeliver redeliverMessage requestSyncs testReceiver testTarget testWebhook unpinChannel vetoMove ' +
      'runBulk watchDigests watchEvents'

    test('is known to read, or to be refused', () => {
      const known = [...Object.keys(refused), ...Object.keys(reads), ...others.split(' ')]
      expect(known.toSorted()).toEqual(Object.keys(useCases).toSorted())
    })

    test('that does something for the stack is refused alike, with the command to type', async () => {
      await restarted()
      await world().restart({ file: false, formerFile: '/etc/gitmoor.yaml' })
      for (const [name, request] of Object.entries(refused))
        expect([name, await refusal(request(world().ask))]).toEqual([
          name,
          {
            code: 'config/not-given',
            message: 'boards is declared in /etc/gitmoor.yaml, but the agent was started without a configuration file.',
            hint:
              'gitmoor changes nothing of boards meanwhile. Stop this agent, then start it with the file: ' +
              `gitmoor agent --config /etc/gitmoor.yaml --data ${world().root}`,
          },
        ])
      const { items } = await world().ask.requestSyncs([], 'ann', never)
      expect(items).toMatchObject([{ name: 'boards', error: { code: 'config/not-given' } }])
      expect(await world().names()).toEqual(['Bucket/raw'])
    })

    test('that reads the stack works', async () => {
      await restarted()
      for (const request of Object.values(reads)) await request(world().ask)
    })
  })

  test('explain says only what will happen', async () => {
    await world().push(bucket('raw'))
    await declare(world().spec('boards', { schedule: '0 3 * * *' }))
    await synced('boards')
    expect(await world().ask.explainStack('boards')).toMatchObject({
      nextPollAt: expect.any(String) as string,
      nextScheduleAt: expect.any(String) as string,
      nextDriftCheckAt: expect.any(String) as string,
    })
    await world().restart({ file: false })
    const explained = await world().ask.explainStack('boards')
    expect(explained).toMatchObject({
      nextPollAt: null,
      nextScheduleAt: null,
      nextDriftCheckAt: null,
      nextRetryAt: null,
    })
    expect(explained.text).toContain('gitmoor does not poll the source.')
  })

  test('its clone is kept with any credential, also that of a stack that another file declared', async () => {
    await restarted()
    const used = () => world().agent.polls.remotesInUse()
    const { url } = world()
    expect(await used()).toEqual({ remotes: [], undecided: [url] })
    await world().restart()
    expect(await used()).toEqual({ remotes: [url], undecided: [] })
    await declare()
    expect((await world().ask.getStack('boards')).suspended).not.toBeNull()
    expect(await used()).toEqual({ remotes: [url], undecided: [url] })
    await declare(world().spec('boards'))
    expect(await used()).toEqual({ remotes: [url], undecided: [] })
  })

  test('the clone of a stack that is created while the stacks are read is kept', async () => {
    await restarted()
    await world().restart()
    const { agent, url } = world()
    const boards = (await world().store.stacks.get('boards'))!
    const later = `${url}-later`
    const used = agent.polls.remotesInUse()
    const sources = boards.spec.sources.map((one) => ({ ...one, url: later }))
    agent.follow({ ...boards, id: 'later', spec: { ...boards.spec, name: 'later', sources } })
    expect(await used).toEqual({ remotes: [url, later], undecided: [] })
    agent.unfollow('later')
  })

  test('a suspension that ends meanwhile stays', async () => {
    await world().push(bucket('raw'))
    await declare(world().spec('boards'))
    await synced('boards')
    await world().ask.suspendStack('boards', 'lunch', 60_000, 'ann')
    await world().restart({ file: false })
    const { id } = (await world().store.stacks.get('boards'))!
    world().clock.advance(120_000)
    world().agent.runs.wake(id)
    await world().agent.runs.exclusively(id, never, async () => {})
    expect((await world().ask.getStack('boards')).suspended).toMatchObject({ why: 'lunch' })
  })

  test('a request is refused for it before a closed window is', async () => {
    const windows = [{ kind: 'deny', schedule: '* * * * *', durationMs: 3_600_000 }] as const
    await world().push(bucket('raw'))
    await declare(world().spec('boards'))
    await synced('boards')
    await declare(world().spec('boards', { windows }))
    await world().restart({ file: false })
    expect(await refusal(world().ask.requestSync('boards', 'ann', never))).toMatchObject({ code: 'config/not-given' })
  })

  test('the file of an earlier agent is named, if it is known', async () => {
    await restarted()
    const formerFile = '/etc/gitmoor.yaml'
    await world().restart({ file: false, formerFile })
    const message = 'boards is declared in /etc/gitmoor.yaml, but the agent was started without a configuration file.'
    const { status, conditions } = await world().ask.getStack('boards')
    expect(status).toMatchObject({ reason: 'ConfigurationMissing', message })
    expect(conditions[0]).toMatchObject({ reason: 'ConfigurationMissing', message })
    const { checks } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'configuration')).toMatchObject({
      message: expect.stringContaining('1 stack is declared in /etc/gitmoor.yaml') as string,
      next: `Stop this agent, then start it with the file: gitmoor agent --config /etc/gitmoor.yaml --data ${world().root}`,
    })
    expect(world().log).toContainEqual({
      level: 'warn',
      message: 'stack not managed',
      facts: { stack: 'boards', code: 'config/not-given', error: message },
    })
  })

  test('an interrupted apply is not recovered, and is once the file is given again', async () => {
    await world().push(bucket('raw'))
    await declare(world().spec('boards'))
    await synced('boards')
    await world().push(yaml(bucket('raw'), label('red'), bucket('more', { labels: ['red'] })))
    const stops: Promise<void>[] = []
    world().platform.onCall(({ verb }) => {
      if (verb === 'create' && stops.length === 0) stops.push(world().stop())
    })
    await world().ask.requestSync('boards', 'ann', never)
    await until('the agent stops before the last write', () => stops.length > 0)
    await Promise.all(stops)
    await world().start({ file: false })
    const { id } = (await world().store.stacks.get('boards'))!
    const entries = await world().store.journal.openEntries(id)
    expect(entries).not.toEqual([])
    world().clock.advance(3_600_000)
    await world().agent.runs.exclusively(id, never, async () => {})
    expect(await world().store.journal.openEntries(id)).toEqual(entries)
    expect(world().platform.writes).toEqual([])
    await world().restart()
    await until('it goes on', async () => (await world().store.journal.openEntries(id)).length === 0)
    expect(await world().names()).toEqual(['Bucket/more', 'Bucket/raw', 'Label/red'])
  })

  test('the missing file comes before the missing targets of its stacks, and hides them', async () => {
    await world().push(bucket('raw'))
    await declare(world().spec('boards', { target: 'other' }))
    await world().create('ours', { target: 'other' })
    await synced('boards')
    await synced('ours')
    await world().restart({ targets: ['local'] })
    await world().ask.requestSync('boards', 'ann', never)
    await until(
      'a run fails without the target',
      async () => (await world().store.stacks.get('boards'))!.failure !== null,
    )
    await world().restart({ file: false, formerFile: '/etc/gitmoor.yaml', targets: ['local'] })
    const { ask } = world()
    const start = `gitmoor agent --config /etc/gitmoor.yaml --data ${world().root}`
    const nextFor = (name: string): string =>
      `gitmoor changes nothing of ${name} meanwhile. Stop this agent, then start it with the file: ${start}`
    for (const [name, what] of [
      ['boards', 'boards'],
      ['ours', 'Target other'],
    ] as const) {
      const message = `${what} is declared in /etc/gitmoor.yaml, but the agent was started without a configuration file.`
      const blocker = { reason: 'ConfigurationMissing', message, next: [{ purpose: nextFor(name) }] }
      expect((await ask.getStack(name)).status).toMatchObject({ reason: 'ConfigurationMissing', message })
      expect((await ask.explainStack(name)).blockers).toMatchObject([blocker])
      const { checks } = await ask.diagnose(never)
      expect(checks.find((one) => one.name === `stack ${name}`)).toMatchObject({ message, next: nextFor(name) })
      expect(await refusal(ask.requestSync(name, 'ann', never))).toMatchObject({ code: 'config/not-given', message })
      expect(await refusal(ask.previewPlan(name, {}, never))).toMatchObject({ code: 'config/not-given' })
    }
    expect((await ask.diagnose(never)).checks.find(({ name }) => name === 'configuration')).toMatchObject({
      message:
        '1 stack and the target of 1 stack are declared in /etc/gitmoor.yaml, but the agent was started without a configuration file: gitmoor neither polls nor applies these stacks.',
    })
    await world().restart()
    await declare(world().spec('boards', { target: 'other' }))
    await synced('boards')
    await synced('ours')
  })

  test('a stack of the API continues', async () => {
    await restarted()
    await world().create('others', { target: 'other' })
    await synced('others')
  })

  describe('a stack of the API', () => {
    /**
     * A policy of the file blocks a move of stable; the agent is started without the file. Gives the commit
     * before.
     */
    async function heldBack(): Promise<string> {
      await world().restart({
        channels: [{ ...releaseAtOnce, ref: 'stable', moves: 'approve-back', minAgeMs: 900_000 }],
      })
      const first = await world().push(label('red'), 'stable')
      await world().create('boards', { ref: 'stable' })
      await world().push(yaml(label('red'), label('blue')), 'stable')
      await world().restart({ file: false })
      return first
    }

    test('keeps the channel policies of the file', async () => {
      const first = await heldBack()
      await world().sync('boards')
      expect(await world().names()).toEqual(['Label/red'])
      const { blockers } = await world().ask.explainStack('boards')
      expect(blockers).toMatchObject([{ reason: 'MoveWaiting' }])
      expect((await world().ask.getStack('boards')).revision.applied).toBe(`stable@${sha1(first)}`)
    })

    test('keeps them after the database was repaired', async () => {
      await heldBack()
      await world().stop()
      writeFileSync(join(world().root, 'gitmoor.db'), 'not a database')
      await world().start({ file: false })
      expect(await world().store.channels.policies()).toMatchObject([{ ref: 'stable', minAgeMs: 900_000 }])
    })

    test('follows freely once a file declares no policies', async () => {
      await heldBack()
      await world().restart()
      await world().restart({ file: false })
      await world().sync('boards')
      expect(await world().names()).toEqual(['Label/blue', 'Label/red'])
    })

    test('is one for which the doctor names the policies', async () => {
      await heldBack()
      const { checks } = await world().ask.diagnose(never)
      expect(checks.find(({ name }) => name === 'channels')).toMatchObject({
        state: 'warning',
        message:
          '1 channel policy of the configuration file still applies, but the agent was started without the file.',
        next: expect.stringContaining('--config FILE') as string,
      })
    })
  })

  test('the stack continues with the file', async () => {
    await restarted()
    await world().push(yaml(bucket('raw'), label('red')))
    await world().restart()
    await declare(world().spec('boards'))
    await until('it goes on', async () => (await world().names()).length === 2)
  })
})

describe('where the target of a stack is not declared any more', () => {
  async function withoutTarget(): Promise<void> {
    await world().push(bucket('raw'))
    await world().create('boards', { target: 'other' })
    await synced('boards')
    await world().restart({ targets: ['local'] })
  }

  test('get, list, explain, history and doctor still answer, and say so', async () => {
    await withoutTarget()
    const { ask } = world()
    const message = 'Target other is not declared in the configuration file.'
    const stack = await ask.getStack('boards')
    expect(stack.resources).toMatchObject([{ kind: 'Bucket', name: 'raw' }])
    expect(stack.conditions[0]).toMatchObject({ status: false, reason: 'TargetMissing', message })
    expect((await ask.listStacks({})).items).toHaveLength(1)
    expect((await ask.listRuns('boards', {})).items).toHaveLength(1)
    expect((await ask.explainStack('boards')).blockers).toMatchObject([{ reason: 'TargetMissing', message }])
    expect((await ask.explainResources('boards', {})).items).toMatchObject([{ address: 'Bucket/raw' }])
    expect(await ask.explainResource('boards', 'Bucket/raw')).toMatchObject({
      id: stack.resources[0]!.id,
      owner: null,
      sharers: [],
    })
    expect((await ask.diagnose(never)).checks.find(({ name }) => name === 'stack boards')).toMatchObject({ message })
  })

  test.each<[string, () => Promise<unknown>]>([
    ['plan', () => world().ask.previewPlan('boards', {}, never)],
    ['uninstall', () => world().ask.previewPlan('boards', { uninstall: true }, never)],
    ['the resources of the stack', () => world().ask.listResources({ stack: 'boards' }, never)],
    ['one resource', () => world().ask.getResource('Bucket/raw', { stack: 'boards' }, never)],
    ['export', () => world().ask.exportPackage({ stack: 'boards' }, never)],
    [
      'adopt',
      () => world().ask.adoptResource('boards', { address: 'Bucket/raw', id: '0a1b2c3d4e5f6071', by: 'ann' }, never),
    ],
  ])('%s fails with the error of the target', async (_, ask) => {
    await withoutTarget()
    const error = await ask().catch((thrown: unknown) => thrown)
    expect(toErrorAnswer(error).body).toMatchObject({
      status: 'target',
      code: 'platform/target-missing',
      hint: expect.stringMatching(/gitmoor stack delete boards$/) as string,
    })
  })

  test('a request that names the target fails with the same error, and with the stack that is bound to it', async () => {
    await withoutTarget()
    const { ask } = world()
    for (const request of [
      () => ask.listResources({ target: 'other' }, never),
      () => ask.getResource('Bucket/0a1b2c3d4e5f6071', { target: 'other' }, never),
      () => ask.exportPackage({ targets: [{ target: 'other' }] }, never),
    ]) {
      const error = await request().catch((thrown: unknown) => thrown)
      expect(toErrorAnswer(error).body).toMatchObject({
        status: 'target',
        code: 'platform/target-missing',
        hint: expect.stringContaining('gitmoor stack delete boards') as string,
      })
    }
    expect(await refusal(ask.listResources({ target: 'locale' }, never))).toMatchObject({
      status: 'not-found',
      code: 'stacks/target-unknown',
      hint: 'Did you mean "local"?',
    })
  })

  test('a resource at the same address of another stack is still found', async () => {
    await withoutTarget()
    await world().create('there', { target: 'local' })
    const { ask } = world()
    expect((await refusal(ask.getResource('Bucket/raw', {}, never))).message).toContain('boards, there')
    expect(await ask.getResource('Bucket/raw', { stack: 'there' }, never)).toMatchObject({ target: 'local' })
  })

  test('the stack continues when the target is declared again, and can be deleted without it', async () => {
    await withoutTarget()
    await world().restart()
    await synced('boards')
    await world().restart({ targets: ['local'] })
    await world().ask.deleteStack('boards', { by: 'ann' }, never)
    expect((await world().ask.listStacks({})).items).toEqual([])
  })
})
