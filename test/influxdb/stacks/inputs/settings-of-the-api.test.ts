// Values and secrets of stacks that the API manages: `stack set --value`, `--secret` and `--unset`.
import { mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/model/json.js'
import type { StackSpecPatch } from '../../../../src/model/stacks/stack.js'
import { openTestShell } from '../../../cli/type-command.js'
import { bucket } from '../../packages.js'
import { refusal } from '../../../e2e/refusal.js'
import { liveSecrets, useWorld } from '../../world.js'

const allowed = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-secrets-')))
afterAll(() => rmSync(allowed, { recursive: true }))
const world = useWorld({ secrets: { environment: ['SLACK_TOKEN'], files: [allowed] } })

/** `token`: as it is written in the package. */
const slack = (token: string): string => `apiVersion: influxdata.com/v2alpha1
kind: NotificationEndpointSlack
metadata: {name: slack}
spec: {url: 'https://hooks.example.test/x', token: ${token}}
`
const named = slack('{secretRef: {key: slack-token}}')
const open = slack('{envRef: {key: slack-token}}')
const region = bucket('raw').replace('name: "raw"', 'name: {envRef: {key: region, default: none}}')

const change = (patch: StackSpecPatch): ReturnType<ReturnType<typeof world>['ask']['updateStack']> =>
  world().ask.updateStack('alerts', patch, 'ann')

/** The secrets on the target. */
async function secrets(): Promise<readonly string[]> {
  const values = Object.values(await liveSecrets(world())).map(({ live }) => live['value'])
  return values.flatMap((value) => (value instanceof Secret ? [value.reveal()] : []))
}

async function apply(patch: StackSpecPatch): Promise<void> {
  await change(patch)
  expect(await world().sync('alerts')).toMatchObject({ outcome: 'applied' })
}

function writeSecret(name: string, text: string): string {
  const path = join(allowed, name)
  rmSync(path, { force: true })
  writeFileSync(path, text)
  return path
}

describe('a value', () => {
  test('is set and removed alone; the others stay', async () => {
    await world().push(region)
    await world().create('alerts', { values: { region: 'eu', other: 1 } })
    expect(await world().names()).toContain('Bucket/eu')
    await apply({ setValues: { region: 'us' } })
    expect(await world().names()).toContain('Bucket/us')
    await apply({ unset: ['region'] })
    expect(await world().names()).toContain('Bucket/none')
    expect((await world().ask.getStack('alerts')).spec.values).toEqual({ other: 1 })
  })

  test.each([
    ['a secretRef', named],
    ['the envRef of a credential', open],
  ])('is refused for %s, and never stored', async (_, text) => {
    await world().push(text)
    await world().create('alerts')
    expect(await refusal(change({ setValues: { 'slack-token': 'hunter2' } }))).toMatchObject({
      status: 'usage',
      code: 'stacks/plain-secret',
      hint: expect.stringContaining('--secret slack-token=env:NAME') as string,
    })
    expect((await world().ask.getStack('alerts')).spec.values).toBeUndefined()
    const spec = world().spec('second', { values: { 'slack-token': 'hunter2' }, target: 'other' })
    expect(await refusal(world().ask.createStack(spec, 'ann'))).toMatchObject({ code: 'stacks/plain-secret' })
    expect(await refusal(world().ask.getStack('second'))).toMatchObject({ status: 'not-found' })
  })

  test('that does not exist cannot be removed', async () => {
    await world().push(region)
    await world().create('alerts')
    expect(await refusal(change({ unset: ['regoin'] }))).toMatchObject({
      status: 'usage',
      code: 'stacks/input-unknown',
    })
  })
})

describe('a secret', () => {
  test.each([
    ['a secretRef', named],
    ['the envRef of a credential', open],
  ])('is read from a file at each use: %s', async (_, text) => {
    const path = writeSecret('slack', 'first-secret\n')
    await world().push(text)
    await world().create('alerts')
    await apply({ setSecrets: { 'slack-token': `\${file:${path}}` } })
    expect(await secrets()).toEqual(['first-secret'])
    expect((await world().ask.getStack('alerts')).spec.secrets).toEqual({ 'slack-token': `\${file:${path}}` })
    writeSecret('slack', 'second-secret\n')
    await world().sync('alerts')
    expect(await secrets()).toEqual(['second-secret'])
  })

  test('is read from a variable, also by a new stack', async () => {
    world().environment.set('SLACK_TOKEN', 'from-environment')
    await world().push(named)
    const run = await world().create('alerts', { secrets: { 'slack-token': '${env:SLACK_TOKEN}' } })
    expect(run).toMatchObject({ outcome: 'applied', problems: [] })
    expect(await secrets()).toEqual(['from-environment'])
    await change({ unset: ['slack-token'] })
    expect((await world().ask.getStack('alerts')).spec.secrets).toBeUndefined()
  })

  test.each([
    ['a variable', () => '${env:PATH}'],
    ['a file', () => '${file:/etc/passwd}'],
    ['a path that leaves an allowed directory', () => `\${file:${allowed}/../key}`],
    ['a relative path', () => '${file:secrets/slack}'],
    ['a link out of an allowed directory', () => `\${file:${linkToKey()}}`],
  ])('of %s that allow.secrets does not list is refused', async (_, reference) => {
    await world().push(named)
    await world().create('alerts')
    expect(await refusal(change({ setSecrets: { 'slack-token': reference() } }))).toMatchObject({
      status: 'usage',
      code: 'stacks/secret-not-allowed',
    })
    expect((await world().ask.getStack('alerts')).spec.secrets).toBeUndefined()
  })

  test('that is not allowed is named, also if there are several', async () => {
    await world().push(named)
    const secrets = { a: '${env:PATH}', b: '${env:SLACK_TOKEN}', c: '${file:/etc/passwd}' }
    const { message } = await refusal(world().ask.createStack(world().spec('alerts', { secrets }), 'ann'))
    expect(message).toBe(
      'Secret "a" of alerts: allow.secrets does not list "env:PATH". ' +
        'Secret "c" of alerts: allow.secrets lists neither "file:/etc/passwd" nor a directory above it.',
    )
  })

  test('that was allowed before is not read any more when it becomes a link to another file', async () => {
    const path = writeSecret('slack', 'first-secret\n')
    await world().push(named)
    await world().create('alerts', { secrets: { 'slack-token': `\${file:${path}}` } })
    linkToKey()
    const run = await world().sync('alerts')
    const hint = expect.stringMatching(
      /^List it in allow\.secrets .* restart the agent\nOr refer to another one: /,
    ) as string
    expect(run).toMatchObject({ outcome: 'failed', problems: [{ code: 'stacks/secret-not-allowed', hint }] })
    expect(await secrets()).toEqual(['first-secret'])
  })

  function linkToKey(): string {
    const path = writeSecret('slack', 'first-secret\n')
    symlinkSync(join(world().root, 'key'), `${path}.new`)
    renameSync(`${path}.new`, path)
    return path
  }
})

describe('the command line', () => {
  const typed = async (line: string): Promise<unknown> => {
    const shell = await openTestShell()
    expect(await shell.type(line)).toMatchObject({ code: 0 })
    return shell.calls.find(({ verb }) => verb === 'updateStack' || verb === 'createStack')?.args
  }

  test('sends values and references', async () => {
    const secret = '--secret a=env:A --secret b=file:/run/b'
    const sent = { a: '${env:A}', b: '${file:/run/b}' }
    expect(await typed(`stack set boards --value x=1=2 ${secret} --unset y --unset z`)).toEqual([
      'boards',
      { setValues: { x: '1=2' }, setSecrets: sent, unset: ['y', 'z'] },
      expect.any(String),
    ])
    expect(
      await typed(`stack create boards --repo https://git.example/x --value x=1 ${secret} --no-wait`),
    ).toMatchObject([{ values: { x: '1' }, secrets: sent }, expect.any(String)])
  })

  test.each([
    ['--secret a=hunter2', '--secret a takes a reference: env:NAME or file:PATH.'],
    ['--secret hunter2', '--secret takes KEY=env:NAME or KEY=file:PATH.'],
    ['--value x', '--value takes KEY=VALUE.'],
    ['--value x=1 --value x=2', '--value sets x twice.'],
  ])('refuses %s without repeating a secret', async (options, words) => {
    const { code, stderr } = await (await openTestShell()).type(`stack set boards ${options}`)
    expect(code).toBe(3)
    expect(stderr).toContain(words)
    expect(stderr).not.toContain('hunter2')
  })
})
