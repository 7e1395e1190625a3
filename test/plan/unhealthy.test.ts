import { expect, test } from 'vitest'
import type { Identity } from '../../src/model/address.js'
import { whyUnhealthy } from '../../src/plan/unhealthy.js'
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

test('a resource that does not exist, and one of a silent kind, are not unhealthy', () => {
  expect(whyUnhealthy(lamp, undefined)).toBe(undefined)
  const { health: _, ...silent } = lamp
  const there = { identity: 'l' as Identity, actual: {}, readOnly: { fault: 'It is dark.' } }
  expect([whyUnhealthy(silent, there), whyUnhealthy(undefined, there)]).toEqual([undefined, undefined])
})
