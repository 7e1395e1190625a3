// Kinds of InfluxDB whose fields wait for values of other resources. They know nothing of it.
import { describe, expect, test } from 'vitest'
import { buildGraph } from '../../../src/graph/graph.js'
import { influxdbKind } from '../../../src/influxdb/kinds/kinds.js'
import { InvalidPackage } from '../../../src/model/errors.js'
import type { Address } from '../../../src/model/address.js'
import type { Json, JsonObject } from '../../../src/model/json.js'
import { unknownYet, type Resolve } from '../../../src/model/resources/kind.js'
import { readPackage } from '../../../src/package/package.js'
import { doc, file } from '../read-texts.js'

/** A document whose texts may have references, beside the bucket `raw`. */
function build(kind: string, spec: object) {
  const text = [doc(kind, 'a', { ...spec }), doc('Bucket', 'raw', { name: 'raw' })].join('\n---\n')
  const documents = readPackage([file('a.yml', text)]).value.map((one) => ({ ...one, takesReferences: true as const }))
  const { value, problems } = buildGraph(documents, influxdbKind)
  const resource = value.resources.find(({ document }) => document.kind === kind && document.name === 'a')
  return { resource, problems, addresses: value.resources.map(({ address }) => address) }
}

function stateOf(kind: string, spec: object, resolve: Resolve = unknownYet): JsonObject {
  const { resource, problems } = build(kind, spec)
  expect(problems).toEqual([])
  const state = resource!.kind.normalise(resource!.kind.encode(resource!.spec, resolve))
  return JSON.parse(JSON.stringify(state)) as JsonObject
}

const task = { name: 'a', query: 'from(bucket: "raw")\n  |> range(start: -1h)' }
const every = '$(ref.Bucket/raw.every)'

describe('a reference', () => {
  test('in the configuration of a Telegraf is known after apply', () => {
    const spec = { name: 'a', config: '[agent]\nbucket_id = "$(ref.Bucket/raw.id)"\n' }
    expect(stateOf('Telegraf', spec)['config']).toBe('(known after apply: id of Bucket/raw)')
    expect(stateOf('Telegraf', spec, () => '00ff')['config']).toContain('bucket_id = "00ff"')
  })

  test.each<[string, string, object, (value: string) => object, Json, Json]>([
    ['a duration', 'Task', task, (value) => ({ every: value }), '2h', '2h0m0s'],
    [
      'a number',
      'Bucket',
      { name: 'raw2' },
      (value) => ({ retentionRules: [{ type: 'expire', everySeconds: value }] }),
      7200,
      7200,
    ],
    [
      'an address',
      'NotificationEndpointHTTP',
      { name: 'e', type: 'none', method: 'GET' },
      (value) => ({ url: value }),
      'http://x.example',
      'http://x.example',
    ],
    ['a text', 'Label', { name: 'Red' }, (value) => ({ description: value }), 'x', 'x'],
  ])('may replace %s', (_, kind, base, field, value, stored) => {
    const path = Object.keys(field(''))[0]!
    const of = (one: JsonObject): Json => {
      const found = one[path]!
      return Array.isArray(found) ? (found as readonly JsonObject[])[0]!['everySeconds']! : found
    }
    const spec = { ...base, ...field(every) }
    expect(of(stateOf(kind, spec))).toBe('(known after apply: every of Bucket/raw)')
    expect(of(stateOf(kind, spec, () => value))).toBe(stored)
  })

  test('in a credential is known after apply, also without a key for secrets', () => {
    const endpoint = { name: 'a', url: 'https://a.example', status: 'active', token: every }
    expect(stateOf('NotificationEndpointSlack', endpoint)['token']).toBe('(known after apply: every of Bucket/raw)')
  })

  test('may be part of a duration', () => {
    const spec = { ...task, every: '$(ref.Bucket/raw.hours)h' }
    expect(stateOf('Task', spec)['every']).toBe('(known after apply: hours of Bucket/raw)')
    expect(stateOf('Task', spec, () => 3)['every']).toBe('3h0m0s')
  })

  test('whose value does not fit is a problem that names it', () => {
    const { resource } = build('Task', { ...task, every })
    const encode = (): unknown => resource!.kind.encode(resource!.spec, () => 'five apples')
    expect(encode).toThrow(InvalidPackage)
    expect(encode).toThrow(
      expect.objectContaining({
        code: 'graph/late-value',
        problems: [
          expect.objectContaining({
            message: expect.stringContaining(
              'Task/a: spec.every does not fit with the value of $(ref.Bucket/raw.every): ',
            ) as string,
            place: expect.objectContaining({ pointer: '/spec/every' }) as object,
          }),
        ],
      }) as Error,
    )
  })

  test('cannot replace a label of a resource, and other problems are reported with it', () => {
    const { problems } = build('Bucket', {
      name: 'raw2',
      description: 1,
      associations: [{ kind: 'Label', name: '$(ref.Bucket/raw.name)' }],
    })
    expect(problems.map(({ code, place }) => `${code} ${place?.pointer}`)).toEqual(
      expect.arrayContaining(['graph/late-field /spec/associations/0/name']),
    )
  })

  test('in a field where the kind accepts no value is a problem', () => {
    const field = { retentionRules: [{ type: every, everySeconds: 3600 }] }
    const { problems } = build('Bucket', { name: 'raw2', ...field })
    expect(problems.map(({ message }) => message)).toEqual([
      'Bucket/a: spec.retentionRules[0].type cannot wait for the value of another resource.',
    ])
  })

  test('counts as no loss of data until its value is known', () => {
    const { resource } = build('Bucket', { name: 'raw2', retentionRules: [{ type: 'expire', everySeconds: every }] })
    const { kind, spec } = resource!
    const actual = kind.normalise({ name: 'raw2', retentionRules: [{ type: 'expire', everySeconds: 900_000 }] })
    const lossesOf = (resolve: Resolve) => kind.removal!.losses!(actual, kind.normalise(kind.encode(spec, resolve)))
    expect(lossesOf(unknownYet)).toEqual([])
    expect(lossesOf(() => 7200)).toHaveLength(1)
  })

  test('leaves parts as they are', () => {
    const spec = { name: 'raw2', description: every, associations: [{ kind: 'Label', name: 'red' }] }
    const text = [doc('Bucket', 'b', spec), doc('Label', 'red', { name: 'Red' }), doc('Bucket', 'raw', { name: 'raw' })]
    const documents = readPackage([file('a.yml', text.join('\n---\n'))]).value
    const { value, problems } = buildGraph(
      documents.map((one) => ({ ...one, takesReferences: true as const })),
      influxdbKind,
    )
    expect(problems).toEqual([])
    expect(value.resources.map(({ address }) => address)).toContain('LabelMapping/Bucket/b/red' as Address)
  })
})
