import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildChild } from './build-child.js'
import { Matrix, referenceRun, type Prepared, type Reference } from './matrix.js'
import type { mutants } from './mutants.js'
import type { ScenarioName } from './scenarios.js'

/**
 * Where each is caught. Calls are named as the matrix names them; the first call: at whatever comes after a restart.
 */
const caught: Readonly<Record<keyof typeof mutants, { readonly scenario: ScenarioName; readonly after: string }>> = {
  'no relink': { scenario: 'an undo', after: 'open' },
  'identity not journalled': { scenario: 'an undo', after: 'open' },
  'new trace not journalled': { scenario: 'an undo', after: 'create Dashboard Extra' },
  'ownership not restored': { scenario: 'an undo', after: 'open' },
  'no resolve before a plan': { scenario: 'a first apply', after: 'create Dashboard Ops' },
}

interface Situation {
  readonly prepared: Prepared
  readonly reference: Reference
}

let child: Awaited<ReturnType<typeof buildChild>>
let matrix: Matrix
const situations = new Map<ScenarioName, Situation>()
beforeAll(async () => {
  child = await buildChild()
  matrix = new Matrix(child.entry)
  for (const name of new Set(Object.values(caught).map(({ scenario }) => scenario)))
    situations.set(name, await situation(name))
}, 60_000)
afterAll(() => {
  child[Symbol.dispose]()
  for (const { prepared } of situations.values()) prepared[Symbol.dispose]()
})

async function situation(name: ScenarioName): Promise<Situation> {
  const prepared = await matrix.prepare(name)
  return { prepared, reference: await referenceRun(prepared, { concurrency: 1 }) }
}

describe('an engine broken on purpose is caught:', () => {
  test.each(Object.keys(caught) as (keyof typeof caught)[])('%s', { timeout: 60_000 }, async (mutant) => {
    const { scenario, after } = caught[mutant]
    const { prepared, reference } = situations.get(scenario)!
    const point = { call: reference.calls.indexOf(after) + 1, when: 'after' } as const
    expect(await matrix.tryPoint(prepared, reference, { concurrency: 1 }, point)).toEqual([])
    expect(await matrix.tryPoint(prepared, reference, { concurrency: 1, mutant }, point)).not.toEqual([])
  })
})
