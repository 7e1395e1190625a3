// Secrets on their way to the target: given, named, kept, rotated, undone.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Rejected } from '../../../../src/model/errors.js'
import { Secret } from '../../../../src/model/json.js'
import type { StackSpec } from '../../../../src/model/stacks/stack.js'
import { declareStacks } from '../../../../src/stacks/changes/declare-stacks.js'
import type { PushedPackage } from '../../../../src/stacks/inputs/pushed-package.js'
import type { RunView } from '../../../../src/views/run.js'
import { label, task, yaml } from '../../packages.js'
import { rowsOf } from '../../../e2e/rows-of.js'
import { until } from '../../../e2e/until.js'
import type { DriverCall } from '../../../e2e/watched-platform.js'
import { liveSecrets, never, onlyEmbedded, useWorld } from '../../world.js'

const world = useWorld()

/** `token`: as in the package. */
function slack(token: string, { name = 'slack', url = 'https://hooks.example.test/x', labels = '[]' } = {}): string {
  return `apiVersion: influxdata.com/v2alpha1
kind: NotificationEndpointSlack
metadata: {name: ${name}}
spec: {url: '${url}', token: ${token}, associations: ${labels}}
`
}

const named = '{secretRef: {key: slack-token}}'

async function create(changed: Partial<StackSpec> = {}): Promise<void> {
  await world().ask.createStack(world().spec('alerts', { sources: [{ kind: 'inline' }], ...changed }), 'ann')
}

async function push(text: string, pushed: Omit<PushedPackage, 'files'> = {}): Promise<RunView> {
  const { id } = await world().ask.pushPackage(
    'alerts',
    { files: [{ path: 'package.yml', text }], ...pushed },
    'ann',
    never,
  )
  return world().ended('alerts', id)
}

/** The values on the target, by key; those of endpoints under `TOKEN OF endpoint`. */
async function values(): Promise<Readonly<Record<string, string>>> {
  const live = Object.values(await liveSecrets(world()))
  const ids = new Map(
    live.flatMap(({ id, live: state }) => (typeof state['name'] === 'string' ? [[id, state['name']]] : [])),
  )
  return Object.fromEntries(
    live.flatMap(({ id, live: { value } }) => {
      const [endpoint, rest] = [id.slice(0, 16), id.slice(16)]
      return value instanceof Secret
        ? [[ids.has(endpoint) ? `${rest.slice(1)} of ${ids.get(endpoint)!}` : id, value.reveal()]]
        : []
    }),
  )
}

/** Without warnings, of which a server has more: it never shows what an undo would need. */
const errors = ({ problems }: RunView): RunView['problems'] => problems.filter(({ severity }) => severity === 'error')

/** From now on the target refuses this. */
function refuse(verb: DriverCall['verb'], family: string): void {
  world().platform.onCall((call) => {
    if (call.verb === verb && call.family === family)
      throw new Rejected('The target has no room.', { code: 'platform/failed' })
  })
}

describe('a given secret', () => {
  test('is on the target before what names it', async () => {
    await create()
    const run = await push(slack(named), { secrets: { 'slack-token': 'first' } })
    expect(run).toMatchObject({ outcome: 'applied', problems: [] })
    expect(run.plan!.changes.map(({ address }) => address)).toEqual([
      'Secret/slack-token',
      'NotificationEndpoint/slack',
    ])
    expect(await values()).toEqual({ 'slack-token': 'first' })
  })

  test('that the package does not name is not written', async () => {
    await create()
    await push(label('red'), { secrets: { 'slack-token': 'first' } })
    expect(await values()).toEqual({})
  })

  test('overwrites only its own key', async () => {
    await create()
    await push(yaml(slack(named), slack('{secretRef: {key: other}}', { name: 'other' })), {
      secrets: { 'slack-token': 'one', other: 'two' },
    })
    await push(yaml(slack(named), slack('{secretRef: {key: other}}', { name: 'other' })), {
      secrets: { other: 'three' },
    })
    expect(await values()).toEqual({ 'slack-token': 'one', other: 'three' })
  })

  test('stays if it is not given again: nothing changes and nothing is missing', async () => {
    await create()
    await push(slack(named), { secrets: { 'slack-token': 'first' } })
    expect(await push(slack(named))).toMatchObject({ outcome: 'unchanged', problems: [] })
    expect(await values()).toEqual({ 'slack-token': 'first' })
  })

  test('stays on the target when nothing names it any more, and when the stack goes', async () => {
    await create({ dataLoss: 'allow' })
    await push(yaml(label('red'), slack(named)), { secrets: { 'slack-token': 'first' } })
    await push(label('red'))
    expect(await values()).toEqual({ 'slack-token': 'first' })
    expect(await world().ids('alerts')).not.toHaveProperty('Secret/slack-token')
    await push(yaml(label('red'), slack(named)), { secrets: { 'slack-token': 'first' } })
    const { digest } = await world().ask.previewPlan('alerts', { uninstall: true }, never)
    await world().ask.deleteStack('alerts', { uninstall: digest, by: 'ann' }, never)
    expect(await world().names()).toEqual(['Secret/slack-token'])
  })

  test('of a plan that needs approval is kept until the approval', async () => {
    await create({ apply: 'approval' })
    const { plan } = await push(slack(named), { secrets: { 'slack-token': 'first' } })
    const { id } = await world().ask.approvePlan('alerts', plan!.digest, 'ann', never)
    expect(await world().ended('alerts', id)).toMatchObject({ outcome: 'applied' })
    expect(await values()).toEqual({ 'slack-token': 'first' })
  })

  test('is named as missing where the agent was started again before it was written', async () => {
    await create({ apply: 'approval' })
    await push(slack(named), { secrets: { 'slack-token': 'first' } })
    await world().restart()
    const { problems } = await world().ask.previewPlan('alerts', {}, never)
    expect(problems).toMatchObject([{ severity: 'warning', code: 'stacks/missing-secret' }])
    expect(problems[0]!.message).toContain('slack-token')
    expect(problems[0]!.hint).toBe(
      'Set it: `gitmoor stack set alerts --secret slack-token=env:VARIABLE`, or `secrets` of alerts in the ' +
        'configuration file, or `gitmoor stack push alerts -f FILE --secret-file slack-token=PATH`.',
    )
  })

  test('is taken away again where the apply fails', async () => {
    await create()
    await push(label('red'))
    refuse('create', 'NotificationEndpoint')
    const run = await push(yaml(label('red'), slack(named)), { secrets: { 'slack-token': 'first' } })
    expect(run.outcome).toBe('undone')
    expect(world().platform.writes).toContainEqual({ verb: 'create', family: 'Secret' })
    expect(await values()).toEqual({})
  })

  test('that overwrote another is put back where the apply fails', async () => {
    onlyEmbedded('InfluxDB never shows the value of a secret, so an undo cannot restore it.')
    await create()
    await push(slack(named), { secrets: { 'slack-token': 'first' } })
    world().platform.reset()
    refuse('update', 'NotificationEndpoint')
    const changed = slack(named, { url: 'https://other.example.test' })
    expect(await push(changed, { secrets: { 'slack-token': 'second' } })).toMatchObject({ outcome: 'undone' })
    expect(world().platform.writes.filter(({ family }) => family === 'Secret')).toHaveLength(2)
    expect(await values()).toEqual({ 'slack-token': 'first' })
  })
})

describe('a credential in plain', () => {
  test('lies in the target’s store under the name that InfluxDB gives it', async () => {
    await create()
    expect(await push(slack('plain-token'))).toMatchObject({ outcome: 'applied' })
    expect(await values()).toEqual({ 'token of slack': 'plain-token' })
    expect(await push(slack('plain-token'))).toMatchObject({ outcome: 'unchanged' })
  })

  test('that changed is written, and shown as a fingerprint', async () => {
    await create()
    await push(slack('plain-token'))
    const run = await push(slack('other-token'))
    expect(run.plan!.changes[0]!.fields.map(({ path }) => path)).toEqual(['token'])
    expect(JSON.stringify(run)).toMatch(/\(secret [0-9a-f]{16}\)/)
    expect(JSON.stringify(run)).not.toContain('-token"')
    expect(await values()).toEqual({ 'token of slack': 'other-token' })
  })

  test('that was changed on the target is drift, and corrected', async () => {
    await create()
    const { id } = await push(slack('plain-token'))
    await world().ask.editResource('NotificationEndpoint/slack', { token: 'by hand' }, { stack: 'alerts' }, never)
    expect(await values()).toEqual({ 'token of slack': 'by hand' })
    world().clock.advance(400_000)
    expect(await world().runAfter('alerts', id)).toMatchObject({ cause: { kind: 'drift' }, outcome: 'applied' })
    expect(await values()).toEqual({ 'token of slack': 'plain-token' })
  })

  test('stays what it was where a person saves what was shown', async () => {
    await create()
    await push(slack('plain-token'))
    const shown = await world().ask.getResource('NotificationEndpoint/slack', { stack: 'alerts' }, never)
    const text = JSON.parse(JSON.stringify(shown.actual)) as object
    await world().ask.editResource(
      'NotificationEndpoint/slack',
      { ...text, description: 'by hand' },
      { stack: 'alerts' },
      never,
    )
    expect(await values()).toEqual({ 'token of slack': 'plain-token' })
  })

  test('is the same when a secretRef names it by the key that it has, also beside another change', async () => {
    await create()
    await push(slack('plain-token'))
    const own = `{secretRef: {key: ${(await world().ids('alerts'))['NotificationEndpoint/slack']!}-token}}`
    expect(await push(slack(own))).toMatchObject({ outcome: 'unchanged', problems: [] })
    expect(await push(slack(own, { url: 'https://hooks.example.test/y' }))).toMatchObject({
      outcome: 'applied',
      problems: [],
    })
    expect(await values()).toEqual({ 'token of slack': 'plain-token' })
    expect(await push(slack(own, { url: 'https://hooks.example.test/y' }))).toMatchObject({ outcome: 'unchanged' })
  })

  test('has another value where one goes with the package under its key', async () => {
    await create()
    await push(slack('plain-token'))
    const key = `${(await world().ids('alerts'))['NotificationEndpoint/slack']!}-token`
    const changed = slack(`{secretRef: {key: ${key}}}`, { url: 'https://hooks.example.test/y' })
    const run = await push(changed, { secrets: { [key]: 'another-token' } })
    expect([run.outcome, errors(run)]).toEqual(['applied', []])
    expect(await values()).toEqual({ 'token of slack': 'another-token' })
    expect(await push(changed)).toMatchObject({ outcome: 'unchanged' })
  })

  test('goes with a change to another secret, and comes back where that apply fails', async () => {
    onlyEmbedded('InfluxDB never shows the value of a secret, so an undo cannot restore it.')
    await create()
    await push(yaml(label('red'), slack('plain-token')))
    world().platform.reset()
    refuse('create', 'LabelMapping')
    const other = slack('{secretRef: {key: other}}', { labels: '[{kind: Label, name: red}]' })
    expect(await push(yaml(label('red'), other))).toMatchObject({ outcome: 'undone' })
    expect(world().platform.writes.filter(({ family }) => family === 'NotificationEndpoint')).toHaveLength(2)
    expect(await values()).toEqual({ 'token of slack': 'plain-token' })
    world().platform.reset()
    await push(slack('{secretRef: {key: other}}'))
    expect(await values()).toEqual({})
  })

  test('is in the database only sealed, also during a revert', async () => {
    await create()
    await push(yaml(label('red'), slack('plain-token')))
    const seen: string[] = []
    world().platform.onCall(({ verb, family }) => {
      if (verb === 'create' && family === 'LabelMapping') {
        seen.push(rowsOf(join(world().root, 'gitmoor.db')).toString())
        throw new Rejected('The target has no room.', { code: 'platform/failed' })
      }
    })
    const other = slack('other-token', { labels: '[{kind: Label, name: red}]' })
    expect(await push(yaml(label('red'), other))).toMatchObject({ outcome: 'undone' })
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatch(/doing|done/)
    expect(seen[0]).toContain('(secret ')
    expect(seen[0]).not.toMatch(/plain-token|other-token/)
  })

  test('of a removed endpoint comes back with it, under its new id', async () => {
    onlyEmbedded('InfluxDB never shows the value of a secret, so an undo cannot restore it.')
    await create()
    const others = ['one', 'two', 'three', 'four'].map((name) => label(name))
    await push(yaml(label('red'), ...others, slack('plain-token')))
    const before = (await world().ids('alerts'))['NotificationEndpoint/slack']
    refuse('remove', 'Label')
    const run = await push(yaml(...others))
    expect(run.outcome).toBe('undone')
    expect((await world().ids('alerts'))['NotificationEndpoint/slack']).not.toBe(before)
    expect(await values()).toEqual({ 'token of slack': 'plain-token' })
  })

  test('goes with its endpoint', async () => {
    await create({ dataLoss: 'allow' })
    await push(yaml(label('red'), slack('plain-token')))
    await push(label('red'))
    expect(await world().names()).toEqual(['Label/red'])
  })
})

describe('of a stack of the configuration file', () => {
  const file = (): string => join(world().root, 'token')
  async function declare(changed: Partial<StackSpec> = {}): Promise<RunView> {
    const spec = world().spec('alerts', {
      secrets: { 'slack-token': '${file:token}' },
      values: { address: '${env:ADDRESS}' },
      ...changed,
    })
    expect(await declareStacks([spec], { sync: world().agent.sync, scheduler: world().agent })).toEqual([])
    return world().lastRun('alerts')
  }
  const withName = (): string => slack(named).replace('spec: {', 'spec: {name: {envRef: {key: address}}, ')

  test('values and secrets come from where it points to', async () => {
    writeFileSync(file(), 'first\n')
    world().environment.set('ADDRESS', 'from the environment')
    await world().push(withName())
    expect(await declare()).toMatchObject({ outcome: 'applied', problems: [] })
    expect(await values()).toEqual({ 'slack-token': 'first' })
    expect(await world().names()).toEqual(['NotificationEndpoint/from the environment', 'Secret/slack-token'])
  })

  test('a rotated file reaches the target at the next drift check', async () => {
    writeFileSync(file(), 'first')
    world().environment.set('ADDRESS', 'slack')
    await world().push(withName())
    const { id } = await declare()
    world().clock.advance(400_000)
    await until(
      'it was checked',
      async () => (await world().store.stacks.get('alerts'))!.checkedAt === world().clock.now(),
    )
    expect((await world().lastRun('alerts')).id).toBe(id)
    writeFileSync(file(), 'second')
    world().clock.advance(400_000)
    expect(await world().runAfter('alerts', id)).toMatchObject({ outcome: 'applied' })
    expect(await values()).toEqual({ 'slack-token': 'second' })
  })

  test('a missing file fails the run with its name, and is read again', async () => {
    world().environment.set('ADDRESS', 'slack')
    await world().push(withName())
    const run = await declare()
    expect(run).toMatchObject({ outcome: 'failed', problems: [{ code: 'stacks/value-unreadable' }] })
    expect(run.problems[0]!.message).toMatch(/secret "slack-token" of stack alerts.*token/)
    expect(await world().names()).toEqual([])
    writeFileSync(file(), 'first')
    world().clock.advance(10_000)
    expect(await world().runAfter('alerts', run.id)).toMatchObject({ outcome: 'applied' })
  })

  test('a value from a file reaches a credential, and is never shown', async () => {
    writeFileSync(file(), 'from-the-file')
    await world().push(slack('{envRef: {key: token}}'))
    const run = await declare({ values: { token: '${file:token}' }, secrets: {} })
    expect(run).toMatchObject({ outcome: 'applied', problems: [] })
    expect(await values()).toEqual({ 'token of slack': 'from-the-file' })
    expect(JSON.stringify(run)).not.toContain('from-the-file')
  })

  test('who gives the fingerprint of a value from a file does not get that value', async () => {
    writeFileSync(file(), 'from-the-file')
    const token = '{envRef: {key: token}}'
    await world().push(slack(token))
    const run = await declare({ values: { token: '${file:token}' }, secrets: {} })
    const fingerprint = /\(secret [0-9a-f]{16}\)/.exec(JSON.stringify(run))![0]
    await world().ask.createStack(world().spec('other', { sources: [{ kind: 'inline' }] }), 'ann')
    const files = [{ path: 'b.yml', text: slack(token, { name: 'other' }) }]
    const { id } = await world().ask.pushPackage('other', { files, values: { token: fingerprint } }, 'ann', never)
    await world().ended('other', id)
    expect(await values()).toEqual({ 'token of slack': 'from-the-file', 'token of other': fingerprint })
  })

  test.each([
    ['metadata.name', label('red').replace('name: red', 'name: {envRef: {key: token}}')],
    ['spec.name', label('red').replace('name: "red"', 'name: {envRef: {key: token}}')],
    [
      'a parameter',
      task('tick').replace(/query: .*/, 'query: \'option params = {bucket: "raw"} from(bucket: params.bucket)\''),
    ],
  ])('a value from a file is refused in %s, and not printed', async (place, text) => {
    writeFileSync(file(), 'from-the-file')
    await world().push(text)
    const key = place === 'a parameter' ? 'tasks[tick].spec.params.bucket' : 'token'
    const run = await declare({ values: { [key]: '${file:token}' }, secrets: {} })
    expect(run).toMatchObject({ outcome: 'failed', problems: [{ code: 'kinds/value-of-credential' }] })
    expect(run.problems[0]!.message).toContain(key)
    expect(JSON.stringify(run)).not.toContain('from-the-file')
    expect(await world().names()).toEqual([])
  })

  test('the database stores the reference, not its value', async () => {
    writeFileSync(file(), 'first')
    world().environment.set('ADDRESS', 'slack')
    await world().push(withName())
    await declare()
    const { spec } = (await world().store.stacks.get('alerts'))!
    expect(spec).toMatchObject({ secrets: { 'slack-token': '${file:token}' }, values: { address: '${env:ADDRESS}' } })
  })

  test('other values cannot be given over the API, also where it vanished from the file', async () => {
    writeFileSync(file(), 'first')
    world().environment.set('ADDRESS', 'slack')
    await world().push(withName())
    await declare()
    await declareStacks([], { sync: world().agent.sync, scheduler: world().agent })
    await expect(
      world().ask.updateStack('alerts', { values: { address: '${file:/etc/hostname}' } }, 'ann'),
    ).rejects.toMatchObject({
      code: 'stacks/managed-by-file',
    })
  })

  test('what the API made takes the same text as it is', async () => {
    world().environment.set('ADDRESS', 'from the environment')
    await world().push(label('red').replace('name: "red"', 'name: {envRef: {key: address}}'))
    await world().create('plain', { values: { address: '${env:ADDRESS}' } })
    expect(await world().names()).toEqual(['Label/${env:ADDRESS}'])
  })
})

test('an env key of a credential is refused in another place, with both places, without its value', async () => {
  await create()
  const text = yaml(label('red').replace('name: "red"', 'name: {envRef: {key: both}}'), slack('{envRef: {key: both}}'))
  const run = await push(text, { values: { both: 'shown-nowhere' } })
  expect(run).toMatchObject({ outcome: 'failed', problems: [{ code: 'graph/shown-credential' }] })
  expect(run.problems[0]!.message).toBe(
    'spec.name of the Label at package.yml:1 uses the env key "both", which spec.token of the NotificationEndpointSlack at package.yml:9 uses as a credential.',
  )
  expect(JSON.stringify(run)).not.toContain('shown-nowhere')
  const twice = yaml(slack('{envRef: {key: both}}'), slack('{envRef: {key: both}}', { name: 'other' }))
  expect(await push(twice, { values: { both: 'shown-nowhere' } })).toMatchObject({ outcome: 'applied' })
})

test('env references without a value are reported with their keys, unless they have a default', async () => {
  await create()
  const text = label('red').replace('name: "red"', 'name: {envRef: {key: left-open}}')
  expect((await push(text)).problems).toMatchObject([{ severity: 'warning', code: 'graph/no-value' }])
  expect((await push(text.replace('left-open', 'left-open, default: crimson'))).problems).toEqual([])
  expect((await push(text, { values: { 'left-open': 'crimson' } })).problems).toEqual([])
})

describe('a given key that the package does not use', () => {
  const text = yaml(label('red').replace('name: "red"', 'name: {envRef: {key: region}}'), slack(named))

  test('is reported with the most similar key', async () => {
    await create()
    const { problems } = await push(text, {
      values: { region: 'eu', regoin: 'eu' },
      secrets: { 'slack-tokem': 's', 'slack-token': 't' },
    })
    expect(
      problems.map(({ severity, code, message, hint }) => [severity, code, /"([^"]*)"/.exec(message)?.[1], hint]),
    ).toEqual([
      ['warning', 'stacks/unused-value', 'regoin', 'Did you mean "region"?'],
      ['warning', 'stacks/unused-secret', 'slack-tokem', 'Did you mean "slack-token"?'],
    ])
    expect(JSON.stringify(problems)).not.toContain('"eu"')
  })

  test('in the settings of a stack is reported in its plan, unless the package has errors', async () => {
    await world().push(text)
    await world().create('plain', { apply: 'approval', values: { region: 'eu', elsewhere: 1 } })
    const codes = async (): Promise<unknown> => {
      const { problems } = await world().ask.previewPlan('plain', {}, never)
      return problems.filter(({ code }) => code.startsWith('stacks/unused')).map(({ message, hint }) => [message, hint])
    }
    expect(await codes()).toEqual([
      [
        'A value is given for "elsewhere", but the package has no such env key.',
        'Remove it, or check the key for a typo.',
      ],
    ])
    await world().push(`${text}---\n${label('x')}`)
    await expect(world().ask.previewPlan('plain', {}, never)).rejects.toMatchObject({
      problems: [{ severity: 'error' }],
    })
  })

  test('is not reported for skipped resources', async () => {
    await create()
    const { problems } = await push(text, { values: { region: 'eu' }, skips: [{ family: 'Label' }] })
    expect(problems.map(({ code }) => code)).toEqual(['stacks/missing-secret'])
  })
})

describe('a secret under the key that the target gave a credential of another stack', () => {
  async function other(changed: Partial<PushedPackage> = {}): Promise<RunView> {
    const key = `${(await world().live())['NotificationEndpoint/slack']!.id}-token`
    await world().ask.createStack(world().spec('other', { sources: [{ kind: 'inline' }] }), 'ann')
    const files = [
      { path: 'package.yml', text: yaml(label('red'), slack(`{secretRef: {key: ${key}}}`, { name: 'other' })) },
    ]
    const { id } = await world().ask.pushPackage(
      'other',
      { files, secrets: { [key]: 'theirs-now' }, ...changed },
      'ann',
      never,
    )
    return world().ended('other', id)
  }

  test('is refused with its key and whose it is, before anything is written', async () => {
    await create()
    await push(slack('plain-token'))
    world().platform.reset()
    const run = await other()
    expect(run.outcome).toBe('failed')
    expect(errors(run)).toMatchObject([{ code: 'stacks/foreign-secret', place: { file: 'package.yml' } }])
    expect(errors(run)[0]!.message).toMatch(/"[0-9a-f]{16}-token".*NotificationEndpoint\/slack of stack alerts/)
    expect(JSON.stringify(run)).not.toContain('theirs-now')
    expect(world().platform.writes).toEqual([])
    expect(await values()).toEqual({ 'token of slack': 'plain-token' })
  })

  test('is refused also where the endpoint belongs to no stack any more', async () => {
    await create()
    await push(slack('plain-token'))
    await world().ask.deleteStack('alerts', { by: 'ann' }, never)
    const run = await other()
    expect(errors(run)).toMatchObject([
      { code: 'stacks/foreign-secret', message: expect.stringContaining('"slack"') as string },
    ])
    expect(await values()).toEqual({ 'token of slack': 'plain-token' })
  })

  test('may be named without a value, and given when the stack takes the endpoint over', async () => {
    await create()
    await push(slack('plain-token'))
    expect(await other({ secrets: {} })).toMatchObject({ outcome: 'applied' })
    const key = `${(await world().live())['NotificationEndpoint/slack']!.id}-token`
    await world().ask.deleteStack('alerts', { by: 'ann' }, never)
    await create()
    expect(await push(slack(`{secretRef: {key: ${key}}}`), { secrets: { [key]: 'renewed' } })).toMatchObject({
      outcome: 'applied',
    })
    expect(await values()).toEqual({ 'token of slack': 'renewed' })
  })
})

describe('a secret of two stacks', () => {
  async function other(secret: string): Promise<RunView> {
    await world().ask.createStack(world().spec('other', { sources: [{ kind: 'inline' }] }), 'ann')
    const files = [{ path: 'package.yml', text: slack(named, { name: 'other' }) }]
    const { id } = await world().ask.pushPackage('other', { files, secrets: { 'slack-token': secret } }, 'ann', never)
    return world().ended('other', id)
  }

  test('alike is shared', async () => {
    await create()
    await push(slack(named), { secrets: { 'slack-token': 'first' } })
    expect(await other('first')).toMatchObject({ outcome: 'applied' })
    expect(await values()).toEqual({ 'slack-token': 'first' })
  })

  test('differently is refused, without either value', async () => {
    await create()
    await push(slack(named), { secrets: { 'slack-token': 'first-value' } })
    const run = await other('second-value')
    expect(run).toMatchObject({ outcome: 'failed', problems: [{ code: 'plan/claimed' }] })
    expect(JSON.stringify(run)).not.toMatch(/first-value|second-value/)
    expect(await values()).toEqual({ 'slack-token': 'first-value' })
  })
})
