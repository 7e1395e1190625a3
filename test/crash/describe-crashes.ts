import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attackSample, attackSeed } from '../attack/scale.js'
import { seeded } from '../package/seeded.js'
import { plain, type PlatformUnderTest } from '../plain/under-test.js'
import { buildChild } from './build-child.js'
import { allPoints, Matrix, referenceRun, tryCopies, tryReading, type Reference } from './matrix.js'
import { planTogether, type Point } from './points.js'
import { scenarios, type ScenarioName } from './scenarios.js'

/** All problems, with their points. */
function texts(problems: ReadonlyMap<Point, readonly string[]>, { calls }: Reference): readonly string[] {
  return [...problems].flatMap(([point, found]) =>
    found.map((problem) => `${point.when} call ${point.call}, ${calls[point.call - 1]}: ${problem}`),
  )
}

export interface CrashOptions {
  readonly on?: PlatformUnderTest
  readonly input?: string
  readonly names?: readonly ScenarioName[]
}

const all = Object.keys(scenarios) as ScenarioName[]

/**
 * An agent takes over at a share of the points of these scenarios: what a process leaves there, and, at a point of
 * each, what one leaves that is killed. `input`: the module of that process. `npm run crash` kills one at each point.
 */
export function describeCrashes({ on = plain, input, names = all }: CrashOptions = {}): void {
  let child: Awaited<ReturnType<typeof buildChild>>
  let matrix: Matrix
  beforeAll(async () => {
    child = await buildChild(input)
    matrix = new Matrix(child.entry)
  })
  afterAll(() => child[Symbol.dispose]())

  test('the runs of an update beside that of another stack share the target', async () => {
    using prepared = await matrix.prepare('an update beside that of another stack', { on })
    const { calls } = await referenceRun(prepared, { concurrency: 1 }, planTogether(2))
    expect(calls.filter((call) => call === 'plan')).toHaveLength(2)
    expect(calls.lastIndexOf('plan')).toBeLessThan(calls.indexOf('settle'))
  })

  test('packages that were being read are read later, and both runs end', async () => {
    using prepared = await matrix.prepare('an update beside that of another stack', { on })
    const pace = { concurrency: 1 }
    const reference = await referenceRun(prepared, pace)
    expect(await tryReading(prepared, reference, pace)).toEqual([])
  })

  describe('after a process ends at any call', () => {
    test.each(names)(
      'of %s, the next process leaves what an uninterrupted run leaves',
      { timeout: 240_000 },
      async (name) => {
        const random = seeded(attackSeed() + all.indexOf(name))
        const pace = { concurrency: random(2) === 0 ? 1 : 32 }
        using prepared = await matrix.prepare(name, { on })
        const reference = await referenceRun(prepared, pace)
        expect(reference.calls.length).toBeGreaterThan(name === 'a first apply' ? 30 : 0)
        const points = attackSample(allPoints(reference), random)
        expect(texts(await tryCopies(prepared, reference, pace, points), reference)).toEqual([])
        const killedAt = points[random(2) === 0 ? points.length - 1 : random(points.length)]!
        const killed = await matrix.tryPoint(prepared, reference, pace, killedAt)
        expect(texts(new Map([[killedAt, killed]]), reference)).toEqual([])
      },
    )
  })
}
