// Endpoints that are inactive. The embedded platform runs nothing else that could fail.
import { expect, test } from 'vitest'
import { never, useWorld } from '../world.js'

const world = useWorld()
const slack = (status: string): string => `apiVersion: influxdata.com/v2alpha1
kind: NotificationEndpointSlack
metadata: {name: chat}
spec: {url: 'https://hooks.example.test/x', status: ${status}}
`

test('a stack with an inactive endpoint is Degraded until its package makes it active', async () => {
  await world().push(slack('inactive'))
  await world().create('alerts')
  const { status, unhealthy } = await world().ask.getStack('alerts')
  expect(status).toMatchObject({ state: 'Degraded', reason: 'Unhealthy' })
  expect(unhealthy?.first).toEqual([
    { address: 'NotificationEndpoint/chat', reason: 'The endpoint is inactive, so it gets no notifications.' },
  ])
  await world().push(slack('active'))
  await world().sync('alerts')
  expect(await world().ask.getStack('alerts')).toMatchObject({ status: { state: 'Synced' }, unhealthy: null })
})

test('an endpoint that somebody made inactive on the target is found while a stack waits for health', async () => {
  await world().push(slack('active'))
  await world().create('alerts', { ignore: [{ family: 'NotificationEndpoint', path: 'status' }] })
  const health = { for: 'healthy', timeoutMs: 1_000 } as const
  expect(await world().ask.waitForStack('alerts', health, never)).toMatchObject({ health: 'Healthy' })
  await world().ask.editResource('NotificationEndpoint/chat', { status: 'inactive' }, {}, never)
  await expect(world().ask.waitForStack('alerts', health, never)).rejects.toThrow(
    'alerts is not healthy after 1 s. NotificationEndpoint/chat is unhealthy.',
  )
})
