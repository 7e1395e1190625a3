import { describe, expect, test } from 'vitest'
import { attackSeed, attackShare } from '../attack/scale.js'
import { plain } from '../plain/under-test.js'
import { randomSequence, runSequence, type Sequence } from './sequence.js'
import { describeFailure, shrink } from './shrink.js'

/** Of each test. */
const sequences = { memory: attackShare(30), git: attackShare(10) }

/** Runs sequences from these seeds: over a repository in memory, and over a real one. */
export function describeSequences(seeds: Readonly<Record<Sequence['source'], readonly number[]>>, on = plain): void {
  describe('promises 1 to 7 hold through random commits, tag moves, damage, failures, lost answers, kills and restarts', () => {
    for (const first of seeds.memory)
      test(`in ${sequences.memory} sequences from seed ${first}`, async () => {
        expect(await firstFailure(seedsFrom(first, sequences.memory), 'memory', on)).toBeUndefined()
      })

    for (const first of seeds.git)
      test(`in ${sequences.git} sequences over real repositories, from seed ${first}`, async () => {
        expect(await firstFailure(seedsFrom(first, sequences.git), 'git', on)).toBeUndefined()
      })
  })
}

/** What a person is to read where promises do not hold; undefined: they do. */
async function firstFailure(
  seeds: readonly number[],
  source: Sequence['source'],
  on: Sequence['on'],
): Promise<string | undefined> {
  for (const seed of seeds) {
    const sequence = randomSequence(seed, source, { on })
    const result = await runSequence(sequence)
    if (result.violations.length > 0) return describeFailure(await shrink({ sequence, result }, 20_000))
  }
  return undefined
}

function seedsFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first + attackSeed() - 1 + i)
}
