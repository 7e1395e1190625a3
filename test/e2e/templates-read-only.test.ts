// Fields that InfluxDB sets itself (times, the task behind a check) over its API: `old` of a diff shows them.
// They never lead to a change.
import { expect, test } from 'vitest'
import { askWire, templates, type WireReply } from './wire-door.js'
import { onlyEmbedded, useWorld } from '../influxdb/world.js'

const minute = 60_000
const world = useWorld()

const doc = (kind: string, name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'influxdata.com/v2alpha1', kind, metadata: { name }, spec })
const check = (name: string, more: object = {}): string =>
  doc('CheckDeadman', name, { every: '1m', query: 'from(bucket: "raw")', statusMessageTemplate: 'm', ...more })
const url = 'https://hooks.example.com/a'
const chat = (token: string): string => doc('NotificationEndpointSlack', 'chat', { url, token })
const rule = doc('NotificationRule', 'page', {
  endpointName: 'chat',
  every: '10m',
  messageTemplate: 'm',
  statusRules: [{ currentLevel: 'CRIT' }],
})

const zero = '0001-01-01T00:00:00Z'
const zeros = { createdAt: zero, updatedAt: zero }
const twins = [check('one', { name: 'twin' }), check('two', { name: 'twin' })]

/** An apply, a minute after whatever was before. */
async function apply(documents: readonly string[], more: { readonly stackID?: string } = {}): Promise<WireReply> {
  world().clock.advance(minute)
  return templates(world(), [documents.join('\n---\n')], more)
}

/** `old` of everything in a dry run, by metaName, with whether a write would follow. */
async function olds(documents: readonly string[], stackID: string): Promise<Readonly<Record<string, any>>> {
  const { body } = await templates(world(), [documents.join('\n---\n')], { stackID, dryRun: true })
  const entries = Object.values<any[]>(body.diff).flat()
  return Object.fromEntries(
    entries.map(({ templateMetaName, old, changed }) => [templateMetaName, { ...old, changed }]),
  )
}

test('an update changes updatedAt of what it writes, and nothing else that the target keeps', async () => {
  onlyEmbedded('A server has a clock of its own: the test does not move it.')
  const before = [check('cpu'), check('disk'), chat('first'), rule]
  const { status, body } = await apply(before)
  expect(status).toBe(201)
  const made = { createdAt: '2026-01-01T00:01:00Z', updatedAt: '2026-01-01T00:01:00Z', changed: false }
  const first = await olds(before, body.stackID)
  expect(first).toMatchObject({ cpu: made, disk: made, chat: made })
  expect(first['cpu'].taskID).toMatch(/^[0-9a-f]{16}$/)
  expect(first['cpu'].taskID).not.toBe(first['disk'].taskID)

  const after = [check('cpu', { every: '2m' }), check('disk'), chat('second'), rule]
  await apply(after, { stackID: body.stackID })
  const updatedAt = '2026-01-01T00:02:00Z'
  const second = await olds(after, body.stackID)
  expect(second).toMatchObject({
    cpu: { ...made, updatedAt, taskID: first['cpu'].taskID },
    disk: first['disk'],
    chat: { ...made, updatedAt },
  })

  await apply(after, { stackID: body.stackID })
  expect(await olds(after, body.stackID)).toEqual(second)
})

test('a summary, `new` of a diff, a rule and an export have no times and no task', async () => {
  const documents = [check('cpu'), chat('first'), rule]
  const { stackID } = (await apply(documents)).body
  const { summary, diff } = (await apply(documents, { stackID })).body
  expect([summary.checks[0].check, summary.notificationEndpoints[0].notificationEndpoint]).toMatchObject([zeros, zeros])
  expect([diff.checks[0].new, diff.notificationEndpoints[0].new]).toMatchObject([zeros, zeros])
  const exported = await askWire(world(), 'POST', '/api/v2/templates/export', { stackID })
  const { old, new: declared } = diff.notificationRules[0]
  expect(JSON.stringify([summary, diff.checks[0].new, old, declared, exported.body])).not.toMatch(/taskID/)
  expect(JSON.stringify([old, declared, exported.body])).not.toMatch(/createdAt|updatedAt/)
})

test('an undo leaves createdAt and the task of what it writes back', async () => {
  onlyEmbedded('A server has a clock of its own: the test does not move it.')
  const documents = [check('cpu')]
  const { stackID } = (await apply(documents)).body
  const { cpu } = await olds(documents, stackID)
  expect((await apply([check('cpu', { every: '2m' }), ...twins], { stackID })).status).toBe(500)
  const updatedAt = '2026-01-01T00:02:00Z'
  expect(await olds(documents, stackID)).toEqual({ cpu: { ...cpu, updatedAt } })
})

test('what is removed and made again is new, and so is its task', async () => {
  onlyEmbedded('A server has a clock of its own: the test does not move it.')
  const { stackID } = (await apply([check('cpu'), check('disk')])).body
  const { cpu } = await olds([check('cpu')], stackID)
  await apply([check('disk')], { stackID })
  await apply([check('cpu'), check('disk')], { stackID })
  const again = await olds([check('cpu'), check('disk')], stackID)
  expect(again['cpu'].createdAt).toBe('2026-01-01T00:03:00Z')
  expect(again['cpu'].taskID).not.toBe(cpu.taskID)
})
