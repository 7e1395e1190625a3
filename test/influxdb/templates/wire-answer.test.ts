// The answer of a dry run: what it makes of a plan, and how often.
import { afterEach, expect, test, vi } from 'vitest'
import { buildGraph } from '../../../src/graph/graph.js'
import { finish } from '../../../src/lib/async/steps.js'
import type { Identity } from '../../../src/model/address.js'
import type { Resource } from '../../../src/model/resources/resource.js'
import { influxdbKinds, wires } from '../../../src/influxdb/kinds/kinds.js'
import { toWireDiff } from '../../../src/influxdb/templates/wire-diff.js'
import { WireObjects, type WirePlan } from '../../../src/influxdb/templates/wire-objects.js'
import { toWireSummary } from '../../../src/influxdb/templates/wire-summary.js'
import { readPackage } from '../../../src/package/package.js'
import type { Planned } from '../../../src/stacks/plans/plan-stack.js'
import { settled } from '../../plan/scenario.js'
import { bucket, label } from '../packages.js'
import { file, kindOf } from '../read-texts.js'

afterEach(() => vi.restoreAllMocks())

const names = ['b1', 'b2', 'b3']

/** A label, and three buckets that have it; all of them exist as declared. */
function unchanged(): WirePlan {
  const texts = [
    file('a.yml', label('red')),
    ...names.map((name) => file(`${name}.yml`, bucket(name, { labels: ['red'] }))),
  ]
  const { resources } = buildGraph(readPackage(texts).value, kindOf).value
  const kindNamed = (name: string): Resource['kind'] | undefined => influxdbKinds.find(({ kind }) => kind === name)
  const planned = { ...settled(resources), kindNamed, plan: { changes: [] } } as unknown as Planned
  return { orgID: 'o', resources, planned }
}

test('a label that many resources have is made once, and listed with each of them', () => {
  const plan = unchanged()
  const summary = vi.spyOn(wires['Label']!, 'summary')
  const found = finish(toWireSummary(plan, new WireObjects(plan), { envRefs: [], secrets: [] }))
  expect(summary).toHaveBeenCalledOnce()
  const entry = { kind: 'Label', templateMetaName: 'red' }
  expect(found['labels']).toMatchObject([entry])
  expect(found['buckets']).toMatchObject(names.map((name) => ({ templateMetaName: name, labelAssociations: [entry] })))
})

test('both sides of an unchanged resource are one object', () => {
  const plan = unchanged()
  const diff = finish(toWireDiff(plan, new WireObjects(plan), new Set()))
  const sides = (diff['buckets'] ?? []).map((entry) => [entry['old'], entry['new']])
  expect(sides.map(([old, desired]) => typeof old === 'object' && old === desired)).toEqual([true, true, true])
})

test('a mapping without a declaration is listed once, if both of its ends are declared', () => {
  const { resources, ...rest } = unchanged()
  const undeclared = resources.filter(({ partOf }) => partOf !== 'Bucket/b2')
  const plan = { ...rest, resources: undeclared }
  const objects = new WireObjects(plan)
  const pairOf = (bucket: string, of: string): string =>
    `${objects.idOf(`Bucket/${bucket}` as never)}/${objects.idOf(of as never)}`
  const present = new Set([...names.map((name) => pairOf(name, 'Label/red')), `${'f'.repeat(16) as Identity}/x`])
  const mappings = finish(toWireDiff(plan, objects, present))['labelMappings']!
  expect(mappings.map(({ resourceTemplateMetaName, stateStatus }) => [resourceTemplateMetaName, stateStatus])).toEqual(
    names.map((name) => [name, 'exists']),
  )
})
