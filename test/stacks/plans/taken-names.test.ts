import { expect, test } from 'vitest'
import type { Plan } from '../../../src/model/resources/change.js'
import { refuseTakenNames } from '../../../src/stacks/plans/taken-names.js'
import type { Reached } from '../../../src/stacks/targets.js'
import { declare, label, settled } from '../../plan/scenario.js'
import { roundsDuring, slow } from '../../rounds.js'

test('the search for renames does not block the event loop, and reads nothing without renames', async () => {
  const resources = declare(...Array.from({ length: 8 }, (_, i) => label(`l${i}`)))
  const plan = { changes: [] } as unknown as Plan
  const unreachable = {} as Reached
  const each = resources.map((resource) => slow(resource, 'address'))
  const { owned, observed } = settled(resources)
  const claimsOf = (): never => {
    throw new Error('It reads no ownership.')
  }
  const facts = { plan, owned, observed, claimsOf }
  const work = refuseTakenNames(each, facts, unreachable, new AbortController().signal)
  expect(await roundsDuring(work)).toBeGreaterThanOrEqual(resources.length)
  expect(await work).toEqual([])
})
