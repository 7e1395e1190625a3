import { describe, expect, test } from 'vitest'
import { influxdbKind, influxdbKinds } from '../../../src/influxdb/kinds/kinds.js'
import type { Address } from '../../../src/model/address.js'
import { type Json, type JsonObject, Unknown } from '../../../src/model/json.js'
import type { Kind } from '../../../src/model/resources/kind.js'
import { readPackage } from '../../../src/package/package.js'
import { buildYaml, doc, docs, file } from '../read-texts.js'

function stateOf(text: string, at = 0): JsonObject {
  const { kind, spec } = buildYaml(text).value.resources[at]!
  return kind.normalise(kind.encode(spec, ({ to }) => new Unknown(to, 'id')))
}

function kindNamed(name: string): Kind {
  return influxdbKinds.find(({ kind }) => kind === name)!
}

describe('the desired state', () => {
  const query = 'from(bucket: "raw")'
  const cases: Readonly<Record<string, readonly [text: string, state: JsonObject]>> = {
    'of a label, with defaults': [doc('Label', 'red'), { name: 'red', color: '', description: '' }],
    'of a label, trimmed as the target trims it': [
      doc('Label', 'red', { name: ' Red ' }),
      { name: 'Red', color: '', description: '' },
    ],
    'of a bucket that keeps for ever': [doc('Bucket', 'raw'), { name: 'raw', description: '', retentionRules: [] }],
    'of a bucket is only its first rule': [
      doc('Bucket', 'raw', { retentionRules: [3600, 7200].map((everySeconds) => ({ type: 'expire', everySeconds })) }),
      { name: 'raw', description: '', retentionRules: [{ type: 'expire', everySeconds: 3600 }] },
    ],
    'of a schema is in the order of names': [
      doc('Bucket', 'raw', {
        schemaType: 'explicit',
        measurementSchemas: [
          {
            name: 'cpu',
            columns: [
              { name: 'v', type: 'Field', dataType: 'Float' },
              { name: 'time', type: 'timestamp' },
            ],
          },
        ],
      }),
      {
        name: 'raw',
        description: '',
        retentionRules: [],
        schemaType: 'explicit',
        measurementSchemas: [
          {
            name: 'cpu',
            columns: [
              { name: 'time', type: 'timestamp' },
              { name: 'v', type: 'field', dataType: 'float' },
            ],
          },
        ],
      },
    ],
    'of a task has every field, with durations by value': [
      doc('Task', 'hourly', { every: '1d1h', offset: '90s', query: `\n${query}\n` }),
      { name: 'hourly', description: '', cron: '', every: '25h0m0s', offset: '1m30s', query, status: 'active' },
    ],
    'of a task with cron has an empty every': [
      doc('Task', 'nightly', { cron: '0 3 * * *', status: 'INACTIVE', query }),
      { name: 'nightly', description: '', cron: '0 3 * * *', every: '', offset: '', query, status: 'inactive' },
    ],
  }
  test.each(Object.entries(cases))('%s', (_title, [text, state]) => {
    expect(JSON.parse(JSON.stringify(stateOf(text)))).toEqual(state)
  })

  test('of a label mapping are the ids of both ends, unknown until they are there', () => {
    const text = docs(doc('Label', 'red'), doc('Bucket', 'raw', { associations: [{ kind: 'Label', name: 'red' }] }))
    const mapping = buildYaml(text).value.byAddress.get('LabelMapping/Bucket/raw/red' as Address)!
    const encode = (resolve: (to: Address) => Json): JsonObject =>
      mapping.kind.encode(mapping.spec, ({ to }) => resolve(to))
    const known = encode((to) => (to === 'Label/red' ? '02' : '01'))
    expect(known).toEqual({ resourceType: 'buckets', resourceID: '01', labelID: '02' })
    expect(mapping.kind.matching!.key(known)).toBe('01/02')
    expect(
      mapping.kind.matching!.key(encode((to) => (to === 'Label/red' ? '02' : new Unknown(to, 'id')))),
    ).toBeUndefined()
    const why = { why: 'reference', text: 'spec.associations[0]' }
    const edges = ['Bucket/raw', 'Label/red'].map((to) => ({ to, ...why }))
    expect(mapping).toMatchObject({ partOf: 'Bucket/raw', edges })
  })
})

describe('one canonical form', () => {
  const same: Readonly<Record<string, readonly [kind: string, a: JsonObject, b: JsonObject]>> = {
    'durations by value': ['Task', { every: '60m', offset: '1m' }, { every: '1h0m0s', offset: '60s' }],
    'scripts after trimming': ['Task', { query: 'a\n' }, { query: 'a' }],
    'retention rules with fields of the target': [
      'Bucket',
      { retentionRules: [{ type: 'expire', everySeconds: 3600, shardGroupDurationSeconds: 60 }] },
      { retentionRules: [{ type: 'expire', everySeconds: 3600 }] },
    ],
    'a rule of 0 seconds': [
      'Bucket',
      { retentionRules: [{ type: 'expire', everySeconds: 0 }] },
      { retentionRules: [] },
    ],
    'the case of a chart kind': ['Dashboard', { charts: [{ kind: 'XY' }] }, { charts: [{ kind: 'xy' }] }],
  }
  test.each(Object.entries(same))('%s', (_title, [kind, a, b]) => {
    expect(kindNamed(kind).normalise(a)).toEqual(kindNamed(kind).normalise(b))
  })

  test.each(influxdbKinds.map((kind) => [kind.kind, kind] as const))(
    'of %s is made of anything without throwing, and stays as it is when made again',
    (_name, kind) => {
      const odd: readonly Json[] = [null, 1, 'x', [], [null], [[]], [{}], {}, { name: 1 }]
      for (const value of odd) {
        const state = {
          name: value,
          retentionRules: value,
          measurementSchemas: value,
          charts: value,
          type: value,
          values: value,
          tags: value,
          thresholds: value,
          statusRules: value,
          tagRules: value,
          token: value,
          every: value,
          query: value,
          resourceID: value,
          labelID: value,
        }
        const once = kind.normalise(state)
        expect(kind.normalise(once)).toEqual(once)
        expect(() => [kind.matching?.key(state), kind.displayName?.(state)]).not.toThrow()
      }
    },
  )
})

describe('the table of kinds', () => {
  test('knows each kind in its versions', () => {
    expect(influxdbKind('Bucket', 'influxdata.com/v2alpha2')).toBe(kindNamed('Bucket'))
    expect(influxdbKind('Bucket', 'v1')).toBe('version')
    expect(influxdbKind('Lamp', 'influxdata.com/v2alpha1')).toBeUndefined()
  })

  test('says which removal loses data', () => {
    expect(influxdbKinds.filter(({ removal }) => removal?.losesData === true).map(({ kind }) => kind)).toEqual([
      'Bucket',
      'Secret',
    ])
  })

  test('finds by name what a target finds by name: a bucket with regard to case, a label without', () => {
    expect(kindNamed('Bucket').matching!.key({ name: 'Raw' })).toBe('Raw')
    expect(kindNamed('Label').matching!.key({ name: ' Red ' })).toBe('red')
    expect(['Dashboard', 'Task'].map((name) => 'key' in kindNamed(name))).toEqual([false, false])
  })

  test('takes given values for envRefs; each key has one value', () => {
    const env = new Map([['who', 'blue']])
    const ref = { envRef: { key: 'who', default: 'red' } }
    const text = docs(
      doc('Label', '', { name: ref }, { metadata: { name: ref } }),
      doc('Bucket', 'raw', { associations: [{ kind: 'Label', name: ref }] }),
    )
    const [label, bucket] = readPackage([file('a.yml', text)], { values: env }).value
    const decode = (name: string, document: typeof label): unknown =>
      influxdbKinds.find(({ kind }) => kind === name)!.decode(document!).value
    expect(label!.name).toBe('blue')
    expect(decode('Label', label)).toMatchObject({ name: 'blue' })
    expect(decode('Bucket', bucket)).toMatchObject({ associations: [{ label: 'blue', position: 0 }] })
  })
})
