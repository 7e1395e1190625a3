import { afterEach, describe, expect, test, vi } from 'vitest'
import { seeded } from '../package/seeded.js'
import { attackSample, attackScale, attackSeed, attackShare } from './scale.js'

afterEach(() => vi.unstubAllEnvs())

describe('the scale of the seeded suites', () => {
  test('is a tenth from seed 1 unless the environment sets another', () => {
    vi.stubEnv('GITMOOR_ATTACK', undefined)
    vi.stubEnv('GITMOOR_ATTACK_SEED', undefined)
    expect([attackScale(), attackSeed(), attackShare(1000)]).toEqual([0.1, 1, 100])
  })

  test('is what the environment sets, and runs at least one case', () => {
    vi.stubEnv('GITMOOR_ATTACK', '0.001')
    vi.stubEnv('GITMOOR_ATTACK_SEED', '42')
    expect([attackScale(), attackSeed(), attackShare(1000), attackShare(3)]).toEqual([0.001, 42, 1, 1])
  })

  test('chooses that share of the cases, always the last one, and all of them at 1', () => {
    const cases = Array.from({ length: 1_000 }, (_, at) => at)
    vi.stubEnv('GITMOOR_ATTACK', '0.1')
    const some = attackSample(cases, seeded(1))
    expect([some.length > 50, some.length < 200, some.at(-1)]).toEqual([true, true, 999])
    vi.stubEnv('GITMOOR_ATTACK', '1')
    expect(attackSample(cases, seeded(1))).toEqual(cases)
  })

  test.each(['0', '-1', 'all'])('refuses %j', (scale) => {
    vi.stubEnv('GITMOOR_ATTACK', scale)
    expect(attackScale).toThrow('GITMOOR_ATTACK is a number above 0')
  })

  test('refuses a seed that is not a whole number', () => {
    vi.stubEnv('GITMOOR_ATTACK_SEED', '1.5')
    expect(attackSeed).toThrow('GITMOOR_ATTACK_SEED is a whole number')
  })
})
