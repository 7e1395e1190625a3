import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attackSample, attackSeed } from '../attack/scale.js'
import { seeded } from '../package/seeded.js'
import { plain, type PlatformUnderTest } from '../plain/under-test.js'
import { buildChild } from './build-child.js'
import { eachInTurn } from './each-in-turn.js'
import { allPoints, Matrix, referenceRun, type Pace, type Prepared, type Reference } from './matrix.js'
import type { Point } from './points.js'
import { scenarios, type ScenarioName } from './scenarios.js'

/** All problems, with the point at which the process was killed. */
async function wrongAt(
  matrix: Matrix,
  prepared: Prepared,
  reference: Reference,
  pace: Pace,
  points: readonly Point[],
): Promise<readonly string[]> {
  const wrong: string[] = []
  await eachInTurn(points, 2, async (point) => {
    const problems = await matrix.tryPoint(prepared, reference, pace, point)
    wrong.push(
      ...problems.map((problem) => `${point.when} call ${point.call}, ${reference.calls[point.call - 1]}: ${problem}`),
    )
  })
  return wrong
}

export interface CrashOptions {
  readonly on?: PlatformUnderTest
  readonly input?: string
  readonly names?: readonly ScenarioName[]
}

const all = Object.keys(scenarios) as ScenarioName[]

/** Kills a process at each point of these scenarios. `input`: the module of the process. */
export function describeCrashes({ on = plain, input, names = all }: CrashOptions = {}): void {
  let child: Awaited<ReturnType<typeof buildChild>>
  let matrix: Matrix
  beforeAll(async () => {
    child = await buildChild(input)
    matrix = new Matrix(child.entry, on)
  })
  afterAll(() => child[Symbol.dispose]())

  describe('after a process is killed at any call', () => {
    test.each(names)(
      'of %s, the next process leaves what an uninterrupted run leaves',
      { timeout: 240_000 },
      async (name) => {
        const random = seeded(attackSeed() + all.indexOf(name))
        const concurrency = random(2) === 0 ? 1 : 32
        using prepared = await matrix.prepare(name)
        const reference = await referenceRun(prepared, { concurrency })
        expect(reference.calls.length).toBeGreaterThan(name === 'a first apply' ? 30 : 0)
        expect(
          await wrongAt(matrix, prepared, reference, { concurrency }, attackSample(allPoints(reference), random)),
        ).toEqual([])
      },
    )
  })
}
