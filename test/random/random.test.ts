import { describe, expect, test } from 'vitest'
import { attackSeed, attackShare } from '../attack/scale.js'
import { randomSequence, runSequence, type Sequence } from './sequence.js'
import { describeFailure, shrink } from './shrink.js'

/** What a person is to read where promises do not hold; undefined: they do. */
async function firstFailure(seeds: readonly number[], source: Sequence['source']): Promise<string | undefined> {
  for (const seed of seeds) {
    const sequence = randomSequence(seed, source)
    const result = await runSequence(sequence)
    if (result.violations.length > 0) return describeFailure(await shrink({ sequence, result }, 20_000))
  }
  return undefined
}

/** Of each test. */
const sequences = { memory: attackShare(30), git: attackShare(10) }

function seedsFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first + attackSeed() - 1 + i)
}

describe('promises 1 to 7 hold through random commits, tag moves, damage, failures, lost answers, kills and restarts', () => {
  for (const first of [1, 31, 61, 91, 121, 151, 181, 211, 241])
    test(`in ${sequences.memory} sequences from seed ${first}`, { timeout: 120_000 }, async () => {
      expect(await firstFailure(seedsFrom(first, sequences.memory), 'memory')).toBeUndefined()
    })

  for (const first of [1000, 1010, 1020])
    test(`in ${sequences.git} sequences over real repositories, from seed ${first}`, { timeout: 120_000 }, async () => {
      expect(await firstFailure(seedsFrom(first, sequences.git), 'git')).toBeUndefined()
    })
})
