import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attackSample, attackSeed } from '../attack/scale.js'
import { seeded } from '../package/seeded.js'
import { buildChild } from './build-child.js'
import { eachInTurn } from './each-in-turn.js'
import { allPoints, Matrix, referenceRun, type Pace, type Prepared, type Reference } from './matrix.js'
import type { Point } from './points.js'
import { scenarios, type ScenarioName } from './scenarios.js'

let child: Awaited<ReturnType<typeof buildChild>>
let matrix: Matrix
beforeAll(async () => {
  child = await buildChild()
  matrix = new Matrix(child.entry)
})
afterAll(() => child[Symbol.dispose]())

/** All problems, with the point at which the process was killed. */
async function wrongAt(
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

describe('after a process is killed at any call', () => {
  const names = Object.keys(scenarios) as ScenarioName[]
  test.each(names)(
    'of %s, the next process leaves what an uninterrupted run leaves',
    { timeout: 240_000 },
    async (name) => {
      const random = seeded(attackSeed() + names.indexOf(name))
      const concurrency = random(2) === 0 ? 1 : 32
      using prepared = await matrix.prepare(name)
      const reference = await referenceRun(prepared, { concurrency })
      expect(reference.calls.length).toBeGreaterThan(name === 'a first apply' ? 30 : 0)
      expect(await wrongAt(prepared, reference, { concurrency }, attackSample(allPoints(reference), random))).toEqual(
        [],
      )
    },
  )
})
