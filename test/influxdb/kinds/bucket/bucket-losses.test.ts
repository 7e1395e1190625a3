import { describe, expect, test } from 'vitest'
import { bucketLosses } from '../../../../src/influxdb/kinds/bucket/bucket-losses.js'
import type { JsonObject } from '../../../../src/model/json.js'

const days = (count: number): JsonObject => ({ retentionRules: [{ type: 'expire', everySeconds: count * 86_400 }] })
const column = (name: string, type = 'tag', dataType?: string): JsonObject => ({
  name,
  type,
  ...(dataType === undefined ? {} : { dataType }),
})
const schema = (...columns: readonly JsonObject[]): JsonObject => ({ measurementSchemas: [{ name: 'cpu', columns }] })
const ever = { retentionRules: [] }

describe('an update of a bucket loses', () => {
  const cases: Readonly<
    Record<string, readonly [live: JsonObject, desired: JsonObject, losses: readonly (readonly [string, string])[]]>
  > = {
    'nothing where the retention stays': [days(30), days(30), []],
    'nothing where the retention becomes longer': [days(1), days(30), []],
    'nothing where it keeps forever from now on': [days(30), ever, []],
    'nothing where the retention is not managed': [days(30), { description: 'new' }, []],
    'what is older than a shorter retention': [
      days(30),
      { retentionRules: [{ type: 'expire', everySeconds: 3_600 }] },
      [['retentionRules[0].everySeconds', 'points older than 1h0m0s are deleted (until now: kept 30d)']],
    ],
    'what is older than a first retention': [
      ever,
      days(1),
      [['retentionRules[0]', 'points older than 24h0m0s are deleted (until now: kept forever)']],
    ],
    'what is older than a retention, of a bucket that says nothing of its own': [
      {},
      days(1),
      [['retentionRules[0]', 'points older than 24h0m0s are deleted (until now: kept forever)']],
    ],
    'data older than any retention, if the former retention is unknown': [
      { retentionRules: [{ type: 'expire', everySeconds: null }] },
      days(1),
      [['retentionRules[0]', 'points older than 24h0m0s are deleted (until now: kept forever)']],
    ],
    'nothing where the schema becomes implicit': [{ schemaType: 'explicit' }, { schemaType: 'implicit' }, []],
    'what is outside of a schema that becomes explicit': [
      { schemaType: 'implicit' },
      { schemaType: 'explicit' },
      [['schemaType', 'points outside the explicit schema are refused']],
    ],
    'nothing where a measurement and a column are new': [
      schema(column('time', 'timestamp')),
      {
        measurementSchemas: [
          { name: 'cpu', columns: [column('host'), column('time', 'timestamp')] },
          { name: 'mem', columns: [column('time', 'timestamp')] },
        ],
      },
      [],
    ],
    'nothing where schemas are not managed': [schema(column('host')), {}, []],
    'a measurement': [
      schema(column('host')),
      { measurementSchemas: [] },
      [['measurementSchemas[0]', 'the schema of measurement "cpu" is removed']],
    ],
    'a column': [
      schema(column('host'), column('rack')),
      schema(column('rack')),
      [['measurementSchemas[0].columns', 'measurement "cpu" loses columns, or their type: "host"']],
    ],
    'a column of another type': [
      schema(column('load', 'field', 'float')),
      schema(column('load', 'field', 'integer')),
      [['measurementSchemas[0].columns', 'measurement "cpu" loses columns, or their type: "load"']],
    ],
    'many columns, of which five are named': [
      schema(...'abcdefg'.split('').map((name) => column(name))),
      schema(),
      [
        [
          'measurementSchemas[0].columns',
          'measurement "cpu" loses columns, or their type: "a", "b", "c", "d", "e" and 2 more',
        ],
      ],
    ],
  }
  test.each(Object.entries(cases))('%s', (_, [live, desired, losses]) => {
    expect(bucketLosses(live, desired).map(({ path, message }) => [path, message])).toEqual(losses)
  })
})
