// The summary of every resource in the corpus, field by field, beside InfluxDB's. Charts are compared where they are
// made.
import { describe, expect, test } from 'vitest'
import { collections, wires, type WireContext } from '../../../src/influxdb/kinds/kinds.js'
import { addressOf, familyOf, nameOf } from '../../../src/model/address.js'
import { Unknown, type Json } from '../../../src/model/json.js'
import type { Resource } from '../../../src/model/resources/resource.js'
import { corpusSummaries, corpusText, hasCorpus } from '../../corpus.js'
import { build, file } from '../read-texts.js'

const compared = [
  'Bucket',
  'Check',
  'Label',
  'NotificationEndpoint',
  'NotificationRule',
  'Task',
  'Telegraf',
  'Variable',
]

/**
 * What the corpus leaves out: zero values, at any depth, and the query builder; an object that has nothing left is one.
 */
function without(value: unknown, keys: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((one) => without(one) ?? one)
  if (typeof value !== 'object' || value === null)
    return ['', 0, false, null, '0001-01-01T00:00:00Z'].includes(value as never) ? undefined : value
  const kept = Object.entries(value)
    .filter(([key]) => !keys.includes(key) && key !== 'builderConfig')
    .map(([key, inner]) => [key, without(inner)] as const)
  const said = kept.filter(([, inner]) => inner !== undefined)
  return said.length === 0 ? undefined : Object.fromEntries(said)
}

function summaryOf({ kind, spec }: Resource, byAddress: ReadonlyMap<string, Resource>): unknown {
  const known: WireContext['known'] = (family, which) => {
    const other = 'metaName' in which ? byAddress.get(addressOf(family, which.metaName)) : undefined
    return other && { id: '', name: '', metaName: nameOf(other.address), kind: other.kind.kind, state: {} }
  }
  const held = kind.normalise(kind.encode(spec, ({ to }): Json => new Unknown(to, 'id')))
  return without(wires[kind.kind]!.summary(held, { id: '', orgID: '', known }, spec), ['selected'])
}

describe.skipIf(!hasCorpus)('the summaries of the corpus', () => {
  test.each([...corpusSummaries()])('%s', (path, summary) => {
    const { resources, byAddress } = build([file(path, corpusText({ path }))]).value
    for (const family of compared) {
      const ours = resources
        .filter(({ address }) => familyOf(address) === family)
        .map((one) => [nameOf(one.address), summaryOf(one, byAddress)] as const)
      const theirs = (summary[collections[family]!] ?? []).map(
        (one) => [one.templateMetaName, without(one, common)] as const,
      )
      expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(theirs))
    }
  })

  test('has some of each', () => {
    const counts = compared.map(
      (family) =>
        [
          family,
          [...corpusSummaries().values()].flatMap((summary) => summary[collections[family]!] ?? []).length,
        ] as const,
    )
    expect(counts.filter(([, count]) => count === 0)).toEqual([])
  })
})

/** What a summary has of every resource, which is not the kind's part. */
const common = ['kind', 'templateMetaName', 'envReferences', 'labelAssociations']
