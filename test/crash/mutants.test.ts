import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepare, referenceRun, tryCopies, type Pace, type Prepared, type Reference } from './matrix.js'
import type { mutants } from './mutants.js'
import type { ScenarioName } from './scenarios.js'

/**
 * Where each is caught. Calls are named as in the matrix; `plan` is the first one: the next process does the whole run.
 */
const caught: Readonly<Record<keyof typeof mutants, { readonly scenario: ScenarioName; readonly after: string }>> = {
  'no relink': { scenario: 'an undo', after: 'plan' },
  'identity not journalled': { scenario: 'an undo', after: 'plan' },
  'new trace not journalled': { scenario: 'an undo', after: 'create Dashboard Extra' },
  'ownership not restored': { scenario: 'an undo', after: 'plan' },
  'no resolve before a plan': { scenario: 'a first apply', after: 'create Dashboard Ops' },
}

interface Situation {
  readonly prepared: Prepared
  readonly reference: Reference
}

const situations = new Map<ScenarioName, Situation>()
beforeAll(async () => {
  for (const name of new Set(Object.values(caught).map(({ scenario }) => scenario)))
    situations.set(name, await situation(name))
})
afterAll(() => {
  for (const { prepared } of situations.values()) prepared[Symbol.dispose]()
})

async function situation(name: ScenarioName): Promise<Situation> {
  const prepared = await prepare(name)
  return { prepared, reference: await referenceRun(prepared, { concurrency: 1 }) }
}

describe('the crash matrix catches the defect:', () => {
  test.each(Object.keys(caught) as (keyof typeof caught)[])('%s', async (mutant) => {
    const { scenario, after } = caught[mutant]
    const { prepared, reference } = situations.get(scenario)!
    const point = { call: reference.calls.indexOf(after) + 1, when: 'after' } as const
    const problems = async (pace: Pace): Promise<readonly string[]> =>
      (await tryCopies(prepared, reference, pace, [point])).get(point)!
    expect(await problems({ concurrency: 1 })).toEqual([])
    const found = await problems({ concurrency: 1, mutant })
    expect(found).not.toEqual([])
    expect(found).not.toContain('the point was not reached')
  })
})
