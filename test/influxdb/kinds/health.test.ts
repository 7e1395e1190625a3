import { describe, expect, test } from 'vitest'
import { influxdbKinds } from '../../../src/influxdb/kinds/kinds.js'
import type { JsonObject } from '../../../src/model/json.js'

/** What the kind says of a resource. */
function reasonOf(kind: string, actual: JsonObject, readOnly?: JsonObject): string | undefined {
  const health = influxdbKinds.find((one) => one.kind === kind)?.health
  return health?.unhealthy({ actual, ...(readOnly !== undefined && { readOnly }) })
}

describe.each(['Task', 'CheckThreshold', 'CheckDeadman', 'NotificationRule'])('a %s is unhealthy', (kind) => {
  const of = (readOnly?: JsonObject): string | undefined => reasonOf(kind, { status: 'active' }, readOnly)

  test('if its last run failed, with the error of the server', () => {
    const lastRunError = 'could not find bucket "raw"'
    const reason = 'The last run failed: could not find bucket "raw".'
    expect(of({ lastRunStatus: 'failed', lastRunError })).toBe(reason)
    expect(of({ lastRunStatus: 'failed', lastRunError: `${lastRunError}.\n` })).toBe(reason)
    expect(of({ lastRunStatus: 'failed' })).toBe('The last run failed.')
    expect(of({ lastRunStatus: 'failed', lastRunError: 'Completed(failed)' })).toBe('The last run failed.')
  })

  test('not if it succeeded, was canceled, or nothing ran yet', () => {
    expect([of({ lastRunStatus: 'success' }), of({ lastRunStatus: 'canceled' }), of({}), of()]).toEqual(
      Array(4).fill(undefined),
    )
  })
})

test.each(['NotificationEndpointHTTP', 'NotificationEndpointPagerDuty', 'NotificationEndpointSlack'])(
  'a %s is unhealthy if it is inactive',
  (kind) => {
    expect(reasonOf(kind, { status: ' Inactive' })).toBe('The endpoint is inactive, so it gets no notifications.')
    expect([reasonOf(kind, { status: 'active' }), reasonOf(kind, {})]).toEqual([undefined, undefined])
  },
)

test('other kinds do not say', () => {
  const silent = influxdbKinds.filter(({ health }) => health === undefined).map(({ kind }) => kind)
  expect(silent).toEqual(expect.arrayContaining(['Bucket', 'Dashboard', 'Label', 'Telegraf', 'Variable']))
})
