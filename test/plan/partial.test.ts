// Plans of some resources of a stack, while the others are known to be as declared.
import { describe, expect, test } from 'vitest'
import type { Address } from '../../src/model/address.js'
import type { UnplannedResource } from '../../src/model/resources/resource.js'
import { recordedResource } from '../../src/stacks/plans/recorded-resource.js'
import { plainKinds } from '../plain/plain-kinds.js'
import { at, bucket, changeLines, claimed, dashboard, declare, idOf, label, planOf, settled } from './scenario.js'

const nothingKnown: ReadonlyMap<Address, UnplannedResource> = new Map()
const all = declare(label('red'), label('blue'), bucket('raw', 'raw', { description: 'as declared' }))
const [red] = all

describe('a partial plan', () => {
  test('corrects what differs, and removes nothing of what it is not given', () => {
    const before = settled(all)
    before.observed.set(at('Label/red'), { identity: idOf(1), actual: { name: 'red', color: 'dark', description: '' } })
    const plan = planOf([red!], before, { known: nothingKnown })
    expect(changeLines(plan)).toEqual(['update Label/red (drifted): color'])
    expect(plan.value.partial).toBe(true)
    expect(planOf([red!], before).value.changes.map(({ action }) => action)).toEqual(['update', 'remove', 'remove'])
  })

  test('creates a resource that is gone', () => {
    const before = settled(all)
    before.observed.delete(at('Label/red'))
    expect(changeLines(planOf([red!], before, { known: nothingKnown }))).toEqual(['create Label/red (gone)'])
  })

  test('adopts nothing', () => {
    const before = settled(all)
    before.owned.delete(at('Label/red'))
    before.observed.set(at('Label/red'), { identity: idOf(1), actual: { name: 'red', color: 'dark', description: '' } })
    expect(changeLines(planOf([red!], before, { known: nothingKnown }))).toEqual([])
    expect(planOf([red!], before).value.changes[0]).toMatchObject({ adopts: true })
  })

  test('does not change a shared resource, and counts it if it differs', () => {
    const before = settled(all)
    const owned = before.owned.get(at('Label/red'))!
    before.owned.set(at('Label/red'), { ...owned, shared: true })
    before.observed.set(at('Label/red'), { identity: idOf(1), actual: { name: 'red', color: 'dark', description: '' } })
    for (const claims of [claimed(owned), claimed()]) {
      const plan = planOf([red!], before, { known: nothingKnown, claims })
      expect(plan.value.changes).toEqual([])
      expect(plan.value.sharedDrift).toEqual([{ address: 'Label/red', path: 'color' }])
    }
  })

  test('takes nothing over, also with consent', () => {
    const before = settled(all)
    const theirs = { ...before.owned.get(at('Label/red'))!, applied: { name: 'red', color: 'theirs' } }
    before.owned.delete(at('Label/red'))
    const plan = planOf([red!], before, { known: nothingKnown, claims: claimed(theirs), takesOver: true })
    expect([plan.value.changes, plan.problems]).toEqual([[], []])
  })

  test('resolves references to resources that it neither reads nor plans', () => {
    const resources = declare(label('red'), dashboard('ops', 'Ops', { labels: ['red'] }))
    const before = settled(resources)
    const mapping = resources.filter(({ partOf }) => partOf !== undefined)
    before.observed.clear()
    const known = new Map([
      [at('Label/red'), { identity: idOf(7), outputs: {} }],
      [at('Dashboard/ops'), { identity: idOf(8), outputs: {} }],
    ])
    const { value } = planOf(mapping, before, { known, observed: new Map() })
    expect(value.changes).toMatchObject([{ action: 'create' }])
    expect(value.changes[0]!.fields.map((field) => field.new)).toEqual(expect.arrayContaining([idOf(7), idOf(8)]))
  })

  test('does not warn of rules that match none of its resources', () => {
    const policy = { apply: 'auto', maxDeletes: 10, adopt: 'allow', dataLoss: 'allow' } as const
    const rules = { ...policy, ignore: [{ family: 'Bucket', path: 'nothing' }], protect: ['Dashboard/*'] }
    expect(planOf([red!], settled(all), { known: nothingKnown, policy: rules }).problems).toEqual([])
    expect(planOf(all, settled(all), { policy: rules }).problems).toHaveLength(2)
  })
})

describe('a resource as the last run wrote it', () => {
  const recorded = (before: ReturnType<typeof settled>) =>
    [...before.owned.values()].map((owned) =>
      recordedResource(
        owned,
        plainKinds.find((one) => one.kind === owned.kind)!,
      ),
    )

  test('is unchanged while the target is as it was left', () => {
    const before = settled(all)
    const { value } = planOf(recorded(before), before, { known: nothingKnown, observed: before.observed })
    expect([value.changes, value.unchanged]).toEqual([[], 3])
  })

  test('differs where the target differs, parts and edges included', () => {
    const resources = declare(label('red'), dashboard('ops', 'Ops', { labels: ['red'] }))
    const before = settled(resources)
    before.observed.delete(at('LabelMapping/Dashboard/ops/red'))
    const plan = planOf(recorded(before), before, { known: nothingKnown, observed: before.observed })
    expect(plan.value.changes).toMatchObject([{ action: 'create', reason: 'gone', partOf: 'Dashboard/ops' }])
  })
})
