import { expect, test } from 'vitest'
import { inSlices } from '../../src/lib/async/steps.js'
import type { Address, Identity } from '../../src/model/address.js'
import type { Kind } from '../../src/model/resources/kind.js'
import { findUnhealthy, whyUnhealthy } from '../../src/plan/unhealthy.js'
import { lampsKind } from '../lamps.js'

const lamp = lampsKind('Lamp')
const reasonOf = (fault: string): string =>
  whyUnhealthy(lamp, { identity: 'l' as Identity, actual: {}, readOnly: { fault } })!

test('a reason is one line of printable characters', () => {
  expect(reasonOf(' It is\ndark\u001b[31m. ')).toBe('It is\\u{a}dark\\u{1b}[31m.')
})

test('a long reason is cut between words, so half a secret does not stay', () => {
  const start = 'It is dark. '.repeat(24).trim()
  expect(reasonOf(`${start} http://ann:secret-password@hub/`)).toBe(`${start} …`)
  expect(reasonOf('x'.repeat(100_000))).toBe(' …')
})

test('the first ones that are named fail; those that are idle come after them', async () => {
  const dim: Kind = { ...lamp, family: 'Dim', kind: 'Dim', health: { ...lamp.health!, isIdle: true } }
  const there = { identity: 'l' as Identity, actual: {}, readOnly: { fault: 'It is dark.' } }
  const names = ['Dim/a', 'Dim/b', 'Dim/c', 'Lamp/d', 'Lamp/c', 'Lamp/b', 'Lamp/a'] as Address[]
  const found = await inSlices(
    findUnhealthy(
      names.map((address) => ({ address, kind: address.split('/')[0]! })),
      { observed: new Map(names.map((name) => [name, there])), kindNamed: (name) => (name === 'Dim' ? dim : lamp) },
    ),
    new AbortController().signal,
  )
  expect(found?.count).toBe(7)
  expect(found?.first.map(({ address }) => address)).toEqual(['Lamp/a', 'Lamp/b', 'Lamp/c', 'Lamp/d', 'Dim/a'])
})

test('a resource that does not exist, and one of a silent kind, are not unhealthy', () => {
  expect(whyUnhealthy(lamp, undefined)).toBe(undefined)
  const { health: _, ...silent } = lamp
  const there = { identity: 'l' as Identity, actual: {}, readOnly: { fault: 'It is dark.' } }
  expect([whyUnhealthy(silent, there), whyUnhealthy(undefined, there)]).toEqual([undefined, undefined])
})
