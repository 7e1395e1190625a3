// A secret whose variable or file vanishes after the apply: everything says so before the next commit fails.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readMetrics } from '../../../src/stacks/status/metrics.js'
import { label } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld({ secrets: { environment: ['SLACK_TOKEN'], files: [] } })
const options = { secrets: { environment: ['SLACK_TOKEN'], files: [] } }
const canary = 'canary-of-a-secret'

const slack = `apiVersion: plain/v1
kind: NotificationEndpointSlack
metadata: {name: slack}
spec: {url: 'https://hooks.example.test/x', token: {secretRef: {key: slack-token}}}
`
const message =
  'The secret "slack-token" of stack alerts cannot be read now: The environment variable SLACK_TOKEN is not set.'
const next =
  'Set the variable for the agent, and restart the agent\n' +
  'Or refer to another one: gitmoor stack set alerts --secret slack-token=env:VARIABLE'

/** An applied stack, and an agent that was started again without the variable. */
async function restartedWithout(): Promise<void> {
  world().environment.set('SLACK_TOKEN', canary)
  await world().push(slack)
  expect(await world().create('alerts', { secrets: { 'slack-token': '${env:SLACK_TOKEN}' } })).toMatchObject({
    outcome: 'applied',
  })
  world().environment.delete('SLACK_TOKEN')
  await world().restart(options)
}

describe('a secret that vanished after the apply', () => {
  test('is shown by the list, explain, the doctor and the metrics; the stack has not failed', async () => {
    await restartedWithout()
    const blocker = { reason: 'SecretMissing', message }
    expect(await world().ask.getStack('alerts')).toMatchObject({
      status: { state: 'Degraded', ...blocker },
      sync: 'Synced',
      health: 'Degraded',
    })
    expect(world().condition(await world().ask.getStack('alerts')).reason).toBe('Applied')
    expect((await world().ask.listStacks({ health: 'Degraded' })).items).toMatchObject([{ status: blocker }])
    expect((await world().ask.explainStack('alerts')).blockers).toMatchObject([blocker])
    const { checks, worst } = await world().ask.diagnose(never)
    expect(checks).toContainEqual({ name: 'stack alerts', state: 'problem', message, next })
    expect(worst).toBe('problem')
    const metrics = await world().call(readMetrics)
    expect(metrics.stacks).toMatchObject([{ name: 'alerts', secretMissing: true, failed: false, ready: true }])
    expect(metrics.states.get('Degraded')).toBe(1)
  })

  test('is named by the doctor also for a stack that is suspended', async () => {
    await restartedWithout()
    await world().ask.suspendStack('alerts', 'audit', undefined, 'ann')
    const { checks } = await world().ask.diagnose(never)
    expect(checks.filter(({ name }) => name === 'stack alerts')).toMatchObject([
      { state: 'warning', message: 'Suspended by ann: audit.' },
      { state: 'problem', message },
    ])
  })

  test('has the same words in the plan, and in the run that fails for it', async () => {
    await restartedWithout()
    expect(await refusal(world().ask.previewPlan('alerts', {}, never))).toMatchObject({ message, hint: next })
    await world().push(slack + `---\n${label('red')}`)
    expect(await world().sync('alerts')).toMatchObject({ outcome: 'failed', problems: [{ message, hint: next }] })
    const { status, conditions } = await world().ask.getStack('alerts')
    expect(status).toMatchObject({ state: 'Failed', reason: 'SecretMissing', message, also: [] })
    expect(conditions[0]).toMatchObject({ type: 'Ready', status: false, reason: 'SecretMissing' })
  })

  test('is named once by explain after a retry failed alike: its blocker says it', async () => {
    await restartedWithout()
    await world().push(slack + `---\n${label('red')}`)
    const { id } = await world().sync('alerts')
    world().clock.advance(600_000)
    const retry = await world().runAfter('alerts', id)
    expect(retry).toMatchObject({ outcome: 'failed', cause: { kind: 'retry', note: message } })
    const { lastRun, blockers } = await world().ask.explainStack('alerts')
    expect(lastRun).toBe(`Run ${retry.id} failed. Cause: retry.`)
    expect(blockers).toMatchObject([{ reason: 'SecretMissing', message }])
  })

  test('fails no drift check: what the last run wrote is compared', async () => {
    await restartedWithout()
    const checkedAt = async (): Promise<number | null> => (await world().store.stacks.get('alerts'))!.checkedAt
    world().clock.advance(400_000)
    await until('it was checked', async () => (await checkedAt()) === world().clock.now())
    expect(await world().ask.getStack('alerts')).toMatchObject({ sync: 'Synced', status: { state: 'Degraded' } })
  })

  test('is reported by the log, by its name and never by its value', async () => {
    await restartedWithout()
    expect(world().log).toContainEqual({
      level: 'warn',
      message: 'reference cannot be read',
      facts: {
        reference: '${env:SLACK_TOKEN}',
        stacks: 1,
        error: 'The environment variable SLACK_TOKEN is not set.',
      },
    })
    expect(JSON.stringify(world().log)).not.toContain(canary)
  })
})

test('a file that vanishes is noticed and published within a minute, and so is its return', async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-secrets-')))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'slack')
  writeFileSync(file, canary)
  await world().restart({ secrets: { environment: [], files: [directory] } })
  const published: string[] = []
  onTestFinished(world().agent.events.subscribe(undefined, ({ event }) => published.push(event.type)).stop)
  await world().push(slack)
  await world().create('alerts', { secrets: { 'slack-token': `\${file:${file}}` } })
  const state = async (): Promise<string> => (await world().ask.getStack('alerts')).status.state
  expect(await state()).toBe('Synced')
  await until('the end of the run is published', () => published.includes('run.ended'))
  published.length = 0
  rmSync(file)
  world().clock.advance(60_000)
  await until('it is missing', async () => (await state()) === 'Degraded')
  await until('that is published', () => published.includes('stack.changed'))
  published.length = 0
  writeFileSync(file, canary)
  world().clock.advance(60_000)
  await until('it is back', async () => (await state()) === 'Synced')
  await until('that is published', () => published.includes('stack.changed'))
})

describe('a secret that nobody gave', () => {
  test('degrades the stack in the list, explain, the doctor and the metrics until a run finds it', async () => {
    await world().push(slack)
    expect(await world().create('alerts')).toMatchObject({ outcome: 'applied' })
    const missing = 'The package uses the secret "slack-token", which is neither on the target nor given.'
    const blocker = { reason: 'SecretMissing', message: missing }
    expect(await world().ask.getStack('alerts')).toMatchObject({
      status: { state: 'Degraded', ...blocker, warnings: [] },
      sync: 'Synced',
      health: 'Degraded',
    })
    expect((await world().ask.listStacks({ health: 'Degraded' })).items).toMatchObject([{ status: blocker }])
    expect((await world().ask.explainStack('alerts')).blockers).toMatchObject([blocker])
    const { checks } = await world().ask.diagnose(never)
    expect(checks).toContainEqual(expect.objectContaining({ name: 'stack alerts', state: 'problem', message: missing }))
    expect((await metrics()).stacks).toMatchObject([{ secretMissing: true, warnings: 0 }])
    expect((await metrics()).states.get('Degraded')).toBe(1)

    world().environment.set('SLACK_TOKEN', canary)
    await world().ask.updateStack('alerts', { setSecrets: { 'slack-token': '${env:SLACK_TOKEN}' } }, 'ann')
    await until(
      'the run finds the secret',
      async () => (await world().ask.getStack('alerts')).status.state === 'Synced',
    )
    expect((await metrics()).stacks).toMatchObject([{ secretMissing: false }])
  })
})

test('a secret that nobody gave, and a warning, are still shown after a commit that changes nothing of the stack', async () => {
  await world().repository.commit({ files: { 'a/package.yml': slack } })
  const first = await world().create('alerts', { path: 'a', values: { misspelt: 'x' } })
  const warnings = first.problems.filter(({ code }) => code !== 'stacks/missing-secret')
  expect(warnings).toHaveLength(1)
  await world().repository.commit({ files: { 'b/notes.txt': 'unrelated' } })
  world().clock.advance(70_000)
  expect(await world().runAfter('alerts', first.id)).toMatchObject({ outcome: 'unchanged', problems: first.problems })
  const { status, health } = await world().ask.getStack('alerts')
  expect({ ...status, health }).toMatchObject({
    state: 'Degraded',
    reason: 'SecretMissing',
    warnings,
    health: 'Degraded',
  })
})

test('a secret that nobody gave is found by the next drift check once another stack has given it', async () => {
  const other = slack.replace('metadata: {name: slack}', 'metadata: {name: other}')
  await world().repository.commit({ files: { 'a/package.yml': slack, 'b/package.yml': other } })
  const first = await world().create('alerts', { path: 'a' })
  world().clock.advance(330_000)
  world().environment.set('SLACK_TOKEN', canary)
  await world().create('giver', { path: 'b', secrets: { 'slack-token': '${env:SLACK_TOKEN}' } })
  expect((await world().ask.getStack('alerts')).status.state).toBe('Degraded')
  world().clock.advance(330_000)
  const run = await world().runAfter('alerts', first.id)
  const note = 'a secret that was missing is on the target'
  expect(run).toMatchObject({ outcome: 'unchanged', cause: { kind: 'retry', note }, problems: [] })
  expect((await world().ask.getStack('alerts')).status.state).toBe('Synced')
})

test('an unused value is a warning in the list, explain, the doctor and the metrics', async () => {
  await world().push(label('red'))
  await world().create('boards', { values: { regin: 'x' } })
  const message = 'A value is given for "regin", but the package has no such env key.'
  const status = { state: 'Synced', also: [], warnings: [{ message }] }
  expect((await world().ask.listStacks({})).items).toMatchObject([{ status, health: 'Healthy' }])
  const explained = await world().ask.explainStack('boards')
  expect(explained).toMatchObject({ status, blockers: [] })
  expect(explained.text).toContain(`Warning: ${message}`)
  const { checks, worst } = await world().ask.diagnose(never)
  expect(checks).toContainEqual(expect.objectContaining({ name: 'stack boards', state: 'warning', message }))
  expect(worst).toBe('warning')
  expect((await metrics()).stacks).toMatchObject([{ secretMissing: false, warnings: 1 }])
})

function metrics(): ReturnType<typeof readMetrics> {
  return world().call(readMetrics)
}
