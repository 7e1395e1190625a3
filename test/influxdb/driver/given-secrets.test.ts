// Secrets that people give, under keys that look like those of endpoints' own credentials.
import { expect, test } from 'vitest'
import type { RunView } from '../../../src/views/run.js'
import { never, useWorld } from '../../e2e/world.js'
import { yaml } from '../packages.js'
import { useServer } from '../use-server.js'

const world = useWorld({}, useServer())

function slack(name: string, token: string, url = 'https://hooks.example.test/x'): string {
  return `apiVersion: influxdata.com/v2alpha1
kind: NotificationEndpointSlack
metadata: {name: ${name}}
spec: {url: '${url}', token: ${token}}
`
}

async function push(text: string, secrets: Readonly<Record<string, string>> = {}): Promise<RunView> {
  const files = [{ path: 'package.yml', text }]
  const { id } = await world().ask.pushPackage('alerts', { files, secrets }, 'ann', never)
  return world().ended('alerts', id)
}

const create = () => world().ask.createStack(world().spec('alerts', { sources: [{ kind: 'inline' }] }), 'ann')
const secretsThere = async (): Promise<readonly string[]> =>
  (await world().names()).filter((name) => name.startsWith('Secret/'))

test.each([
  ['a name', ['one-token', 'two-token', 'three-token']],
  ['the id of an endpoint on another server', ['aaaaaaaaaaaaaaa1-token', 'aaaaaaaaaaaaaaa2-token']],
])('a secret whose key has the form of a credential, with %s, stays when endpoints are made', async (_, keys) => {
  await create()
  const text = yaml(...keys.map((key, at) => slack(`hook-${at}`, `{secretRef: {key: ${key}}}`)))
  const run = await push(text, Object.fromEntries(keys.map((key) => [key, 'given'])))
  expect(run).toMatchObject({ outcome: 'applied', problems: [] })
  expect(await secretsThere()).toEqual(keys.map((key) => `Secret/${key}`).toSorted())
  expect(await push(text)).toMatchObject({ outcome: 'unchanged', problems: [] })
})

test('a credential that somebody writes by hand is stored, and is drift', async () => {
  await create()
  const text = slack('hook', 'of-the-package')
  await push(text)
  const before = await secretsThere()
  await world().ask.editResource('NotificationEndpoint/hook', { token: 'by hand' }, { stack: 'alerts' }, never)
  expect(await secretsThere()).toEqual(before)
  const run = await push(text)
  expect(run.plan!.changes.map(({ reason, fields }) => [reason, ...fields.map(({ path }) => path)])).toEqual([
    ['drifted', 'token'],
  ])
  expect(await push(text)).toMatchObject({ outcome: 'unchanged' })
})

test('a secret is written by hand, and again', async () => {
  const { id } = await world().ask.createResource('Secret', { key: 'mine', value: 'first' }, {}, never)
  await world().ask.editResource(`Secret/${id}`, { value: 'second' }, { consent: `Secret/${id}` }, never)
  expect(await secretsThere()).toEqual(['Secret/mine'])
})

test('a secret is given for the own credential of an endpoint, once and for all', async () => {
  await create()
  await push(slack('hook', 'of-the-package'))
  const key = `${(await world().ids('alerts'))['NotificationEndpoint/hook']!}-token`
  const text = slack('hook', `{secretRef: {key: ${key}}}`)
  for (const value of ['first', 'second']) {
    expect(await push(text, { [key]: value })).toMatchObject({ outcome: 'applied' })
    expect(await push(text, { [key]: value })).toMatchObject({ outcome: 'unchanged' })
  }
})
