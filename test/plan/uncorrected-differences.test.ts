// What differs and is not the plan's to change.
import { describe, expect, test } from 'vitest'
import { ignoredFieldsByFamily, UnmatchedRules } from '../../src/plan/ignored.js'
import { UncorrectedDifferences } from '../../src/plan/uncorrected-differences.js'
import { at, byHand, claimed, declare, label, planOf, settled } from './scenario.js'

const red = at('Label/red')

describe('differences that are not corrected', () => {
  const paths = Array.from({ length: 150 }, (_, i) => `f${i}`)

  test('are listed up to a hundred of each kind', () => {
    const left = new UncorrectedDifferences()
    left.addIgnored(red, paths)
    left.addSharedDrift(red, paths)
    expect(left.fields.ignored.map(({ path }) => path)).toEqual(paths.slice(0, 100))
    expect(left.fields.sharedDrift.map(({ path }) => path)).toEqual(paths.slice(0, 100))
  })

  test('have no path if the resource is missing', () => {
    const left = new UncorrectedDifferences()
    left.addSharedDrift(red, [])
    left.addIgnored(red, [])
    expect(left.fields).toEqual({ ignored: [], sharedDrift: [{ address: red, path: '' }] })
  })
})

describe('a shared resource', () => {
  const before = settled(declare(label('red')))
  const owned = new Map([[red, { ...before.owned.get(red)!, shared: true as const }]])
  const claims = claimed(...before.owned.values())

  test('has not drifted if it is as declared', () => {
    expect(planOf(declare(label('red')), { owned, observed: before.observed }, { claims }).value.sharedDrift).toEqual(
      [],
    )
  })

  test('has drifted if it was changed by hand, and nothing is planned', () => {
    const { observed } = byHand(before, 'Label/red', (live) => ({ ...live, color: 'blue' }))
    const { value } = planOf(declare(label('red')), { owned, observed }, { claims })
    expect([value.changes, value.sharedDrift]).toEqual([[], [{ address: red, path: 'color' }]])
  })
})

describe('rules of one family', () => {
  const rules = [
    { family: 'Label', path: 'color' },
    { family: 'Label', path: 'description' },
  ]

  test('are all applied, and ignored fields are absent when two stacks are compared', () => {
    const { strip } = ignoredFieldsByFamily(rules)('Label')
    expect(strip({ name: 'a', color: 'red', description: 'x' })).toEqual({ name: 'a' })
    expect(Object.keys(strip({ name: 'a', color: 'red' }))).toEqual(['name'])
  })

  test('are reported if no resource has the field, not if one element of a list has it', () => {
    const unmatched = new UnmatchedRules([...rules, { family: 'Dashboard', path: 'charts[*].axis' }])
    unmatched.see('Dashboard', { charts: [{ name: 'a' }, { name: 'b', axis: 1 }] })
    unmatched.see('Label', { color: 'red' }, undefined)
    expect(unmatched.problems().map(({ message }) => message)).toEqual([
      '"ignore" names description of Label, but no Label has it.',
    ])
  })
})
