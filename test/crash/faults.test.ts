import { describe, expect, test } from 'vitest'
import { attackSample } from '../attack/scale.js'
import { seeded } from '../package/seeded.js'
import { faults, judges, policies, writesOf, wrongAt } from './faults.js'
import { prepare } from './matrix.js'

type Policy = keyof typeof policies
const cases = (Object.keys(policies) as Policy[]).flatMap((policy) => policies[policy].map((name) => ({ name, policy })))

describe.each(cases)('in $name, $policy on failure', { timeout: 240_000 }, ({ name, policy }) => {
  test.each(Object.keys(faults) as (keyof typeof faults)[])('if at a write %s, it ends as it should', async (fault) => {
    const random = seeded(name.length)
    using prepared = await prepare(name, policy)
    const writes = await writesOf(prepared)
    expect(writes).toBeGreaterThan(0)
    const some = attackSample(
      Array.from({ length: writes }, (_, i) => i + 1),
      random,
    )
    expect(await wrongAt(prepared, faults[fault], some, judges(prepared, policy)[fault])).toEqual([])
  })
})
