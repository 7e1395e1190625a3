// A large plan is made in many steps, between which the event loop serves others.
import { expect, test } from 'vitest'
import { planSteps } from '../../src/plan/plan.js'
import { declare, label, planInput, settled, type Settled } from './scenario.js'

const many = 50
const resources = declare(...Array.from({ length: many }, (_, at) => label(`l${at}`)))
const nothing: Settled = { owned: new Map(), observed: new Map() }

/** The number of steps. */
function stepsOf(declared: typeof resources, before: Settled): number {
  const steps = planSteps(planInput(declared, before))
  let count = 0
  while (steps.next().done !== true) count++
  return count
}

test.each([
  ['created', 12, resources, nothing],
  ['as declared', 9, resources, settled(resources)],
  ['removed', 8, [], settled(resources)],
] as const)('a plan takes a step at each stage for each resource that is %s: %i', (_, stages, declared, before) => {
  expect(stepsOf(declared, before)).toBeGreaterThanOrEqual(stages * many)
})

test('a plan takes a step between its stages', () => {
  expect(stepsOf([], nothing)).toBeGreaterThanOrEqual(6)
})
