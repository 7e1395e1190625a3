// How an explained resource with secrets differs on its target.
import { expect, test } from 'vitest'
import type { ResourceDetail } from '../../../src/views/explanation.js'
import { everyKind } from '../../e2e/every-kind.js'
import { yaml } from '../packages.js'
import { never, useWorld } from '../world.js'

const world = useWorld()

function slack(token: string, name: string): string {
  return `apiVersion: influxdata.com/v2alpha1
kind: NotificationEndpointSlack
metadata: {name: ${name}}
spec: {url: 'https://hooks.example.test/x', token: ${token}}
`
}

test('an explained endpoint has no drift of its secrets, and never shows one', async () => {
  await world().ask.createStack(world().spec('alerts', { sources: [{ kind: 'inline' }], drift: 'report' }), 'ann')
  const text = yaml(slack('plain-token', 'own'), slack('{secretRef: {key: slack-token}}', 'named'))
  const pushed = { files: [{ path: 'package.yml', text }], secrets: { 'slack-token': 'given-token' } }
  await world().ended('alerts', (await world().ask.pushPackage('alerts', pushed, 'ann', never)).id)
  const explain = (name: string): Promise<ResourceDetail> =>
    world().ask.explainResource('alerts', `NotificationEndpoint/${name}`)
  const asApplied = { gone: false, fields: [] }
  expect([(await explain('own')).drift, (await explain('named')).drift]).toEqual([asApplied, asApplied])
  expect((await world().ask.explainResource('alerts', 'Secret/slack-token')).drift).toEqual(asApplied)

  await world().ask.editResource('NotificationEndpoint/own', { url: 'https://other.example.test' }, {}, never)
  await world().ask.editResource('NotificationEndpoint/named', { token: 'handmade-token' }, {}, never)
  expect((await explain('own')).drift?.fields).toEqual([
    { path: 'url', applied: 'https://hooks.example.test/x', actual: 'https://other.example.test' },
  ])
  const { drift } = await explain('named')
  expect(drift?.fields.map(({ path }) => path)).toContain('token')
  expect(JSON.stringify(drift)).not.toMatch(/handmade-token|given-token/)
})

test('an explained resource of any kind has no drift after it was applied', async () => {
  await world().push(
    everyKind()
      .map((one) => JSON.stringify(one))
      .join('\n---\n'),
  )
  expect((await world().create('boards')).outcome).toBe('applied')
  const { items } = await world().ask.explainResources('boards', { limit: 500 })
  expect(items.length).toBeGreaterThan(10)
  for (const { address } of items)
    expect([address, (await world().ask.explainResource('boards', address)).drift]).toEqual([
      address,
      { gone: false, fields: [] },
    ])
})
