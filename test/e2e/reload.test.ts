// The configuration file is read again while the agent runs.
import { describe, expect, test } from 'vitest'
import type { Configuration } from '../../src/config/config.js'
import type { NotificationOutcome } from '../../src/model/agent/notification.js'
import type { Problem } from '../../src/model/problem.js'
import type { StackSpec } from '../../src/model/stacks/stack.js'
import { answering } from '../memory-git.js'
import { hookOf } from '../webhooks/senders.js'
import { bucket, label, yaml } from '../influxdb/packages.js'
import { refusal } from './refusal.js'
import { settled, until } from './until.js'
import { never, useServedWorld, useWorld } from '../influxdb/world.js'

const hourMs = 3_600_000
const problems: readonly Problem[] = [
  {
    severity: 'error',
    code: 'config/unknown-key',
    message: 'Unknown key "stakcs". Did you mean "stacks"?',
    field: 'stakcs',
    place: { file: '/etc/gitmoor.yaml', index: 0, pointer: '/stakcs', line: 3 },
  },
]

describe('a reload', () => {
  const world = useWorld()

  /** What the doctor reports about the configuration: `problem | message | next`. */
  async function reported(): Promise<readonly string[]> {
    const { checks } = await world().ask.diagnose(never)
    return checks
      .filter(({ name }) => name === 'configuration')
      .map(({ state, message, next }) => [state, message, ...(next === undefined ? [] : [next])].join(' | '))
  }

  const declaring = (...stacks: readonly StackSpec[]): { readonly changed: Partial<Configuration> } => ({
    changed: { stacks },
  })

  async function synced(name: string): Promise<void> {
    await until(`${name} is synced`, async () => (await world().ask.getStack(name)).sync === 'Synced')
  }

  test('of an invalid file changes nothing; the doctor names its problems until a reload is accepted', async () => {
    await world().push(label('red'))
    await world().reload(declaring(world().spec('boards')))
    await synced('boards')
    const settled = async (): Promise<object> => {
      const { spec, revision, suspended, lastRun } = await world().ask.getStack('boards')
      return { spec, revision, suspended, lastRun }
    }
    const before = await settled()
    expect(await world().reload(problems)).toBe(false)
    expect(await reported()).toEqual([
      expect.stringMatching(
        /^problem \| The reload of .*gitmoor\.yaml at .* was refused: the file has 1 error\. The configuration of .* is still in force\. \| .*gitmoor config check \S+\nThen reload it: kill -HUP \d+$/,
      ),
      'problem | /etc/gitmoor.yaml:3: Unknown key "stakcs". Did you mean "stacks"? | Fix it in the file.',
    ])
    expect((await world().ask.diagnose(never)).configuration).toMatchObject({ refused: { problems } })
    expect(await settled()).toEqual(before)
    expect(await world().reload(declaring(world().spec('boards')))).toBe(true)
    expect(await reported()).toEqual([expect.stringMatching(/^ok \| .*gitmoor\.yaml, read at /)])
    expect((await world().ask.diagnose(never)).configuration).toMatchObject({ refused: null })
  })

  test('with settings that need a restart takes the others; the doctor names them until they are as before', async () => {
    await world().push(label('red'))
    await world().reload({ runMs: 30_000, changed: { stacks: [world().spec('boards')], hosts: ['moor.example'] } })
    expect(await reported()).toEqual([
      expect.stringMatching(
        /^warning \| Changed settings of .* need a restart: hosts, limits\. .* \| Restart the agent/,
      ),
    ])
    await synced('boards')
    await world().reload(declaring(world().spec('boards')))
    expect(await reported()).toEqual([expect.stringMatching(/^ok/)])
  })

  test('does not take `allow.secrets`, and the doctor names it', async () => {
    await world().reload({ secrets: { environment: ['PAGER_KEY'], files: [] } })
    expect(await reported()).toEqual([expect.stringContaining('need a restart: allow.secrets. Their former values')])
    const named = { ...world().spec('boards'), secrets: { pager: '${env:PAGER_KEY}' } }
    expect(await refusal(world().ask.createStack(named, 'ann'))).toMatchObject({
      code: 'stacks/secret-not-allowed',
      hint: expect.stringContaining('restart the agent') as string,
    })
  })

  test('shows what is refused at its stack: one that exists, one that does not, and one of a refused file', async () => {
    await world().push(label('red'))
    await world().reload(declaring(world().spec('boards'), world().spec('alerts')))
    await synced('boards')
    const elsewhere = { target: 'nowhere' } as const
    await world().reload(
      declaring(world().spec('boards', elsewhere), world().spec('alerts'), world().spec('new', elsewhere)),
    )
    const { status } = await world().ask.getStack('boards')
    expect(status).toMatchObject({ state: 'Synced', warnings: [{ severity: 'warning', stack: 'boards' }] })
    expect(status.warnings[0]!.message).toContain('The former settings of boards stay in force.')
    const listed = await world().ask.listStacks({})
    expect(listed.refused).toMatchObject([{ stack: 'new', message: expect.stringContaining('nowhere') }])
    expect((await world().ask.listStacks({ target: 'local' })).refused).toBeUndefined()
    expect((await world().ask.listStacks({ managedBy: 'file' })).refused).toEqual(listed.refused)
    expect((await world().ask.listStacks({ managedBy: 'api' })).refused).toBeUndefined()
    const missing = await refusal(world().ask.explainStack('new'))
    expect(missing.message).toMatch(/^There is no stack named new\. Stack new cannot be declared: .*nowhere/)
    expect(missing.code).toBe('stacks/unknown')
    await world().reload([{ ...problems[0]!, stack: 'alerts' }])
    expect((await world().ask.getStack('alerts')).status.warnings).toHaveLength(1)
    await world().reload(declaring(world().spec('boards'), world().spec('alerts')))
    expect((await world().ask.getStack('boards')).status.warnings).toEqual([])
  })

  test('that is refused is named by a stack whose server refuses gitmoor: its new credential is not used', async () => {
    await world().push(label('red'))
    await world().create('boards')
    world().server.intercept(answering(401))
    await refusal(world().ask.requestSync('boards', 'ann', never))
    const warnings = async (): Promise<unknown> => (await world().ask.getStack('boards')).status.warnings
    expect(await warnings()).toEqual([])
    await world().reload(problems)
    expect(await warnings()).toMatchObject([{ code: 'config/reload-refused', hint: 'See why: gitmoor doctor' }])
    await world().reload({})
    expect(await warnings()).toEqual([])
  })

  test('in which a stack is refused takes the others, and the doctor names it', async () => {
    await world().push(label('red'))
    await world().create('boards', { target: 'other' })
    await world().reload(declaring(world().spec('boards', { target: 'other' }), world().spec('apps')))
    expect(await reported()).toEqual([
      expect.stringMatching(
        /^problem \| Stack boards of the configuration file is not declared: .* created with the API/,
      ),
    ])
    await synced('apps')
    await world().ask.suspendStack('boards', 'the audit', undefined, 'ann')
    const { checks } = await world().ask.diagnose(never)
    expect(checks.filter(({ message }) => message.includes('created with the API'))).toHaveLength(1)
    expect(checks).toContainEqual(expect.objectContaining({ name: 'stack boards', state: 'warning' }))
    await world().reload(declaring(world().spec('apps')))
    expect(await reported()).toEqual([expect.stringMatching(/^ok/)])
  })

  test('polls remotes that failed, because their credentials may have changed', async () => {
    await world().push(label('red'))
    await world().create('boards', { intervalMs: hourMs })
    world().server.intercept(answering(401))
    await refusal(world().ask.requestSync('boards', 'ann', never))
    world().server.intercept(undefined)
    await world().push(yaml(label('red'), label('blue')))
    await world().reload({})
    await until('the new commit is applied', async () => (await world().names()).length === 2)
  })

  test('polls a remote once more that is being polled, because that poll has the former credentials', async () => {
    await world().push(label('red'))
    await world().create('boards', { intervalMs: hourMs })
    const answers: (() => void)[] = []
    world().server.intercept(async (request) => {
      await new Promise<void>((resolve) => answers.push(resolve))
      await answering(401)(request)
    })
    const refused = refusal(world().ask.requestSync('boards', 'ann', never))
    await until('the remote is being polled', () => answers.length === 1)
    world().server.intercept(undefined)
    await world().push(yaml(label('red'), label('blue')))
    await world().reload({})
    answers[0]!()
    expect(await refused).toMatchObject({ code: 'source/unauthorized' })
    await until('the new commit is applied', async () => (await world().names()).length === 2)
  })

  describe('of webhooks', () => {
    const github = hookOf('github')
    const deliver = (commit: string): Promise<NotificationOutcome> =>
      world().agent.polls.notify(world().url, {
        ref: 'refs/heads/main',
        commit,
        detectedBy: 'webhook',
        note: 'reported by github',
        hook: 'github',
      })

    test('receives deliveries of new ones, and none of removed ones', async () => {
      await world().push(label('red'))
      await world().create('boards')
      expect(await refusal(world().ask.testWebhook('github', {}, never))).toMatchObject({
        status: 'not-found',
        code: 'webhooks/unknown',
      })
      await world().reload({ webhooks: [github] })
      const { delivery } = await world().ask.testWebhook('github', {}, never)
      expect(delivery).toMatchObject({ result: 'known' })
      await world().reload({})
      expect((await world().ask.listWebhooks({})).items).toEqual([])
      expect(await refusal(world().ask.testWebhook('github', {}, never))).toMatchObject({ status: 'not-found' })
    })

    test('a delivery in progress of a removed one proves nothing', async () => {
      await world().restart({ webhooks: [github] })
      await world().push(label('red'))
      await world().create('boards')
      const commit = await world().push(yaml(label('red'), label('blue')))
      const answers: (() => void)[] = []
      world().server.intercept(({ kind }) =>
        kind === 'list' ? new Promise((resolve) => answers.push(resolve)) : undefined,
      )
      const notified = deliver(commit)
      await until('the remote is being polled', () => answers.length === 1)
      world().server.intercept(undefined)
      await world().reload({})
      answers[0]!()
      expect((await notified).result).toBe('moved')
      expect([...world().agent.polls.provenWebhooks]).toEqual([])
    })

    test('polls at the interval again what a removed one has proven', async () => {
      await world().restart({ webhooks: [github] })
      await world().push(label('red'))
      await world().create('boards')
      const remote = world().url
      const commit = await world().push(yaml(label('red'), label('blue')))
      const outcome = await deliver(commit)
      expect(outcome.result).toBe('moved')
      expect([...world().agent.polls.provenWebhooks]).toEqual([[remote, 'github']])
      await world().reload({ webhooks: [github] })
      expect([...world().agent.polls.provenWebhooks]).toEqual([[remote, 'github']])
      await world().reload({})
      expect([...world().agent.polls.provenWebhooks]).toEqual([])
    })
  })

  describe('of targets', () => {
    test('declares new ones', async () => {
      await world().restart({ targets: ['local'] })
      await world().push(bucket('raw'))
      expect(await refusal(world().ask.createStack(world().spec('boards', { target: 'other' }), 'ann'))).toMatchObject({
        code: 'stacks/target-unknown',
      })
      await world().reload({})
      expect(await world().create('boards', { target: 'other' })).toMatchObject({ outcome: 'applied' })
      expect(await world().names('other')).toEqual(['Bucket/raw'])
    })

    test('without the target of a stack makes it wait, and continues it when the target is declared again', async () => {
      await world().push(bucket('raw'))
      await world().create('boards', { target: 'other' })
      await world().reload({ targets: ['local'] })
      const [ready] = (await world().ask.getStack('boards')).conditions
      expect(ready).toMatchObject({ status: false, reason: 'TargetMissing' })
      await world().push(yaml(bucket('raw'), label('red')))
      const { id } = await world().ask.requestSync('boards', 'ann', never)
      expect(await world().ended('boards', id)).toMatchObject({ outcome: 'failed' })
      await world().reload({})
      await synced('boards')
      expect(await world().names('other')).toEqual(['Bucket/raw', 'Label/red'])
    })

    const targetOf = (space: string): Configuration['targets'][string] => {
      const { on } = world()
      return { platform: on.description.name, settings: on.settings(space) }
    }
    const elsewhere = (): Configuration['targets'] => ({ other: targetOf('third') })
    /** As messages name it. */
    const systemOf = (space: string): string => `embedded/${world().platform.systemId(world().on.settings(space))}`

    test.each([
      ['at a start', () => world().restart({ changed: { targets: elsewhere() } })],
      ['at once', async () => {}],
      [
        'after it was removed',
        async () => {
          await world().reload({ targets: ['local'] })
          await world().reload({ changed: { targets: elsewhere() } })
        },
      ],
    ])('with another organisation for stacks, %s, writes nothing there', async (_, change) => {
      await world().push(bucket('raw'))
      await world().create('boards', { target: 'other' })
      await change()
      await world().reload({ changed: { targets: elsewhere() } })
      expect(world().log.map(({ message }) => message)).toContain('target refused')
      expect((await world().ask.getStack('boards')).status).toMatchObject({
        state: 'Failed',
        reason: 'TargetMissing',
        message: `Target other is declared as ${systemOf('third')}, but its stacks are bound to ${systemOf('other')}.`,
      })
      const { checks } = await world().ask.diagnose(never)
      expect(checks.find(({ name }) => name === 'target other')).toMatchObject({
        state: 'problem',
        message: expect.stringContaining(`bound to ${systemOf('other')}`) as string,
        affects: { stacks: ['boards'] },
      })
      await world().push(yaml(bucket('raw'), label('red')))
      const { id } = await world().ask.requestSync('boards', 'ann', never)
      expect(await world().ended('boards', id)).toMatchObject({ outcome: 'failed' })
      const another = world().ask.createStack(world().spec('more', { target: 'other' }), 'ann')
      expect(await refusal(another)).toMatchObject({ code: 'platform/target-missing' })
      const both = { changed: { targets: { other: targetOf('other'), third: targetOf('third') } } }
      await world().reload(both)
      expect(await reported()).toEqual([expect.stringMatching(/^ok/)])
      await synced('boards')
      expect(await world().names('other')).toEqual(['Bucket/raw', 'Label/red'])
      expect(await world().names('third')).toEqual([])
    })

    test('lets runs in progress finish on the target that they began with, also one that waits for its lock', async () => {
      const files = (...names: readonly string[]) =>
        Object.fromEntries(
          ['a', 'b'].map((path) => [`${path}/p.yml`, yaml(...names.map((name) => bucket(path + name)))]),
        )
      await world().repository.commit({ files: files('one') })
      for (const path of ['a', 'b']) await world().create(path, { target: 'other', path, intervalMs: hourMs })
      await world().repository.commit({ files: files('one', 'two') })
      const reloads: Promise<boolean>[] = []
      world().platform.onCall(async ({ verb }) => {
        if (verb !== 'create' || reloads.length > 0) return
        await until('the other run began', () => world().agent.live.inProgress.size === 2)
        await settled() // it waits for the lock: what it reads was fetched for this run
        reloads.push(world().reload({ targets: ['local'] }))
        await Promise.all(reloads)
      })
      const runs = await Promise.all(['a', 'b'].map((name) => world().ask.requestSync(name, 'ann', never)))
      const ended = await Promise.all(runs.map(({ id }, at) => world().ended(['a', 'b'][at]!, id)))
      expect(ended.map(({ outcome }) => outcome)).toEqual(['applied', 'applied'])
      expect(await Promise.all(reloads)).toEqual([true])
    })
  })
})

describe('a reload of credentials', () => {
  const world = useServedWorld()

  test('sends the new one with the next request, and no removed one', async () => {
    await world().push(label('red'))
    await world().create('boards', { intervalMs: hourMs })
    const sent = async (): Promise<readonly (string | undefined)[]> => {
      world().server.reset()
      await world().sync('boards')
      return [...new Set(world().server.seen.map(({ headers }) => headers.authorization))]
    }
    expect(await sent()).toEqual([undefined])
    const credentials = [{ name: 'ours', match: world().server.url, bearer: '${env:TOKEN}', allowHttp: true }]
    world().environment.set('TOKEN', 'a-token-of-the-test')
    await world().reload({ changed: { credentials } })
    expect(await sent()).toEqual(['Bearer a-token-of-the-test'])
    const { checks } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'credential ours')).toMatchObject({ state: 'ok' })
    await world().reload({})
    expect(await sent()).toEqual([undefined])
  })

  test('says which one the server refused, in the error and in the doctor, and never its value', async () => {
    await world().push(label('red'))
    await world().create('boards', { intervalMs: hourMs })
    const credentials = [{ name: 'ours', match: world().server.url, bearer: '${env:TOKEN}', allowHttp: true }]
    world().environment.set('TOKEN', 'a-token-of-the-test')
    await world().reload({ changed: { credentials } })
    world().server.intercept((_, response) => void response.writeHead(401).end())
    const error = await refusal(world().ask.requestSync('boards', 'ann', never))
    expect(error).toMatchObject({
      message: expect.stringContaining('answered 401: the credential "ours" is wrong, or lacks access') as string,
      hint: expect.stringContaining('Check `credentials.ours` in the configuration file') as string,
    })
    const { checks } = await world().ask.diagnose(never)
    expect(checks.find(({ name }) => name === 'credential ours')).toMatchObject({
      state: 'problem',
      message: expect.stringMatching(/^Refused by http:/) as string,
      cause: checks.find(({ name, state }) => name.startsWith('remote ') && state === 'problem')!.name,
    })
    expect(JSON.stringify([error, checks])).not.toContain('a-token-of-the-test')
  })
})

describe('a reload of connections', () => {
  const world = useServedWorld()

  test('uses the new one with the next request, and no removed one', async () => {
    await world().push(label('red'))
    await world().create('boards', { intervalMs: hourMs })
    const connections = [{ name: 'ours', match: world().server.url, proxy: 'http://127.0.0.1:1' }]
    await world().reload({ changed: { connections } })
    expect(await refusal(world().ask.requestSync('boards', 'ann', never))).toMatchObject({
      message: expect.stringContaining('the proxy http://127.0.0.1:1') as string,
    })
    const { checks } = await world().ask.diagnose(never)
    expect(checks.map(({ name }) => name)).toContain('connection ours')
    await world().push(yaml(label('red'), label('blue')))
    await world().reload({})
    await until('the new commit is applied', async () => (await world().names()).length === 2)
  })
})
