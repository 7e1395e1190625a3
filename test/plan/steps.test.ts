// A large plan is made in many steps, between which the event loop serves others.
import { expect, test } from 'vitest'
import { planSteps } from '../../src/plan/plan.js'
import { declare, label, planInput, settled, type Settled } from './scenario.js'

const many = 50
const each = Array.from({ length: many }, (_, at) => at)
const resources = declare(...each.map((at) => label(`l${at}`)))
const nothing: Settled = { owned: new Map(), observed: new Map() }
const recolored = declare(...each.map((at) => label(`l${at}`, `l${at}`, 'blue')))
const renamed = declare(...each.map((at) => label(`m${at}`, `l${at}`)))

/** The number of steps. */
function stepsOf(declared: typeof resources, before: Settled): number {
  const steps = planSteps(planInput(declared, before))
  let count = 0
  while (steps.next().done !== true) count++
  return count
}

test.each([
  ['created', 12, resources, nothing],
  ['edited', 14, recolored, settled(resources)],
  ['moved', 17, renamed, settled(resources)],
  ['as declared', 6, resources, settled(resources)],
  ['removed', 5, [], settled(resources)],
] as const)('a plan takes a step at each stage for each resource that is %s: %i', (_, stages, declared, before) => {
  expect(stepsOf(declared, before)).toBeGreaterThanOrEqual(stages * many)
})

test('a plan takes a step between its stages', () => {
  expect(stepsOf([], nothing)).toBeGreaterThanOrEqual(6)
})
