import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attackSample, attackSeed } from '../attack/scale.js'
import { seeded } from '../package/seeded.js'
import { endWith, faults, policies, wrongAt, type Ended } from './faults.js'
import { prepare, type Prepared } from './matrix.js'

type Policy = keyof typeof policies
const cases = (Object.keys(policies) as Policy[]).flatMap((policy) =>
  policies[policy].map((name) => ({ name, policy })),
)

describe.each(cases)('in $name, $policy on failure', { timeout: 240_000 }, ({ name, policy }) => {
  let prepared: Prepared
  let calm: Ended
  beforeAll(async () => {
    prepared = await prepare(name, { onFailure: policy })
    calm = await endWith(prepared, null)
  })
  afterAll(() => prepared[Symbol.dispose]())

  test.each(Object.keys(faults) as (keyof typeof faults)[])('%s: the run ends as its policy says', async (fault) => {
    expect(calm.writes).toBeGreaterThan(0)
    const writes = Array.from({ length: calm.writes }, (_, i) => i + 1)
    expect(
      await wrongAt(attackSample(writes, seeded(attackSeed() + name.length)), { prepared, calm, fault, policy }),
    ).toEqual([])
  })
})
