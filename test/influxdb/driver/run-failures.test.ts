// The cause of a failed run is in the log of the run, where the check or the task itself does not show it.
import { expect, test } from 'vitest'
import { logsPerRead, pauseMs, RunFailures } from '../../../src/influxdb/driver/run-failures.js'
import type { Identity } from '../../../src/model/address.js'
import type { JsonObject } from '../../../src/model/json.js'
import type { Observed } from '../../../src/model/resources/resource.js'
import { ManualClock } from '../../manual-clock.js'
import { openHttpApi, sendJson } from './http-api.js'

const { signal } = new AbortController()
const clock = new ManualClock()
const at = '2026-01-02T03:04:00Z'
const resource = (id: string, readOnly: JsonObject): Observed => ({ identity: id as Identity, actual: {}, readOnly })
const failed = (id: string, more: JsonObject = {}): Observed =>
  resource(id, { lastRunStatus: 'failed', lastRunError: 'Completed(failed)', latestCompleted: at, ...more })
const log = (...messages: readonly string[]): readonly JsonObject[] => messages.map((message) => ({ message }))
const frame = ['Started task from script: "token = \\"hunter2\\""', 'Completed(failed)'] as const
const repeated = 'Task encountered unrecoverable error, requires admin action: no bucket raw'
const causeOf = ({ readOnly }: Observed): unknown => readOnly!['lastRunError']

test('the log of the failed run is read by the task of a check, and by the id of a task', async () => {
  await using api = await openHttpApi((request, response) =>
    sendJson(response, {
      runs: [
        { status: 'started', scheduledFor: '2026-01-02T03:05:00Z', log: log('Started task from script: ""') },
        { status: 'failed', scheduledFor: '2026-01-02T03:05:00Z', log: log('of another run') },
        { status: 'failed', scheduledFor: at, log: log(...frame, `no bucket ${request.url!.split('/')[4]}`, repeated) },
      ],
    }),
  )
  const failures = new RunFailures(api.client, clock)
  const explained = await failures.explain([failed('c1', { taskID: 't1' }), failed('t2')], signal)
  expect(explained.map(causeOf)).toEqual(['no bucket t1', 'no bucket t2'])
  expect(api.server.seen.map(({ url }) => url).sort()).toEqual([
    '/api/v2/tasks/t1/runs?limit=3',
    '/api/v2/tasks/t2/runs?limit=3',
  ])
})

test('nothing is read of what works, and of what shows its error itself', async () => {
  await using api = await openHttpApi((_, response) => sendJson(response, { runs: [] }))
  const all = [
    resource('a', { lastRunStatus: 'success' }),
    resource('b', {}),
    failed('c', { lastRunError: 'no bucket raw' }),
  ]
  expect(await new RunFailures(api.client, clock).explain(all, signal)).toEqual(all)
  expect(api.server.seen).toEqual([])
})

test('a failed run is read once, and a later one again', async () => {
  await using api = await openHttpApi((_, response) =>
    sendJson(response, { runs: [{ status: 'failed', log: log(...frame, 'no bucket raw') }] }),
  )
  const failures = new RunFailures(api.client, clock)
  for (const time of [at, at, at, 'later']) await failures.explain([failed('t', { latestCompleted: time })], signal)
  expect(api.server.seen).toHaveLength(2)
})

test('a read asks for a few logs, and the next one for others', async () => {
  await using api = await openHttpApi((_, response) =>
    sendJson(response, { runs: [{ status: 'failed', log: log('no bucket raw') }] }),
  )
  const failures = new RunFailures(api.client, clock)
  const all = Array.from({ length: logsPerRead + 2 }, (_, at) => failed(`t${at}`))
  const causes = async (): Promise<number> =>
    (await failures.explain(all, signal)).filter((one) => causeOf(one) === 'no bucket raw').length
  expect([await causes(), api.server.seen.length]).toEqual([logsPerRead, logsPerRead])
  expect([await causes(), api.server.seen.length]).toEqual([all.length, all.length])
})

test.each<[string, unknown, number]>([
  ['has no runs', { runs: [] }, 200],
  ['is of another form', { runs: [1, { status: 'failed', log: [null, { message: 7 }] }] }, 200],
  ['has only the script', { runs: [{ status: 'failed', log: log(...frame) }] }, 200],
])('a log that %s changes nothing, and is not read again', async (_, body, status) => {
  await using api = await openHttpApi((_request, response) => sendJson(response, body, status))
  const failures = new RunFailures(api.client, clock)
  const all = [failed('t')]
  expect(await failures.explain(all, signal)).toEqual(all)
  const { length } = api.server.seen
  expect(await failures.explain(all, signal)).toEqual(all)
  expect(api.server.seen).toHaveLength(length)
})

test.each<[string, unknown, number]>([
  ['is refused', { code: 'unauthorized', message: 'read:tasks is unauthorized' }, 401],
  ['is no list', {}, 200],
])('a log that %s is asked for again after a minute', async (_, body, status) => {
  await using api = await openHttpApi((_request, response, before) =>
    before === 0
      ? sendJson(response, body, status)
      : sendJson(response, { runs: [{ status: 'failed', log: log(...frame, 'no bucket raw') }] }),
  )
  const time = new ManualClock()
  const failures = new RunFailures(api.client, time)
  const all = [failed('t')]
  for (let reads = 0; reads < 3; reads++) expect(await failures.explain(all, signal)).toEqual(all)
  expect(api.server.seen).toHaveLength(1)
  time.advance(pauseMs)
  expect((await failures.explain(all, signal)).map(causeOf)).toEqual(['no bucket raw'])
  expect((await failures.explain(all, signal)).map(causeOf)).toEqual(['no bucket raw'])
  expect(api.server.seen).toHaveLength(2)
})

test('a long message is cut', async () => {
  await using api = await openHttpApi((_, response) =>
    sendJson(response, { runs: [{ status: 'failed', log: log('x'.repeat(100_000)) }] }),
  )
  const [one] = await new RunFailures(api.client, clock).explain([failed('t')], signal)
  expect(causeOf(one!)).toBe('x'.repeat(2_000))
})
