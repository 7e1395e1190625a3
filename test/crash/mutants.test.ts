import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildChild } from './build-child.js'
import { Matrix } from './matrix.js'
import type { mutants } from './mutants.js'
import type { ScenarioName } from './scenarios.js'

/** Where each is caught. Calls are named as the matrix names them; the first call: at whatever comes after a restart. */
const caught: Readonly<Record<keyof typeof mutants, { readonly scenario: ScenarioName; readonly after: string }>> = {
  'no relink': { scenario: 'an undo', after: 'open' },
  'identity not journalled': { scenario: 'an undo', after: 'open' },
  'new trace not journalled': { scenario: 'an undo', after: 'create Dashboard Extra' },
  'ownership not restored': { scenario: 'an undo', after: 'open' },
  'no resolve before a plan': { scenario: 'a first apply', after: 'create Dashboard Ops' },
}

let child: Awaited<ReturnType<typeof buildChild>>
beforeAll(async () => void (child = await buildChild()))
afterAll(() => child[Symbol.dispose]())

describe('an engine broken on purpose is caught:', () => {
  test.each(Object.keys(caught) as (keyof typeof caught)[])('%s', { timeout: 60_000 }, async (mutant) => {
    const { scenario, after } = caught[mutant]
    const matrix = new Matrix(child.entry)
    using prepared = await matrix.prepare(scenario)
    const reference = await matrix.reference(prepared, { concurrency: 1 })
    const point = { call: reference.calls.indexOf(after) + 1, when: 'after' } as const
    expect(await matrix.tryPoint(prepared, reference, { concurrency: 1 }, point)).toEqual([])
    expect(await matrix.tryPoint(prepared, reference, { concurrency: 1, mutant }, point)).not.toEqual([])
  })
})
