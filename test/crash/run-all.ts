// Every point of every scenario, one write at a time and many at once.
import { buildChild } from './build-child.js'
import { eachInTurn } from './each-in-turn.js'
import { endWith, faults, policies, wrongAt } from './faults.js'
import type { Ground } from './ground.js'
import { allPoints, Matrix, referenceRun, type Pace, type Reference } from './matrix.js'
import type { Point } from './points.js'
import { scenarios, type ScenarioName } from './scenarios.js'

const widest = Math.max(...Object.keys(scenarios).map((name) => name.length))
const line = (...cells: readonly (string | number)[]): void => {
  const [name = '', ...rest] = cells
  process.stdout.write(`${String(name).padEnd(widest)}${rest.map((cell) => String(cell).padStart(10)).join('')}\n`)
}

/**
 * Tries all scenarios, or those that are named, and prints what came of them. Gives how many ended wrong. `input`: the
 * module of the process that is killed.
 */
export async function runAll(
  only: readonly string[],
  groundOf: (matrix: Matrix) => Ground,
  input?: string,
): Promise<number> {
  using child = await buildChild(input)
  const matrix = new Matrix(child.entry)
  await using ground = groundOf(matrix)
  const names = (Object.keys(scenarios) as ScenarioName[]).filter((name) => only.length === 0 || only.includes(name))
  let failed = 0
  const began = Date.now()
  line('scenario', 'at once', 'calls', 'points', 'right', 'wrong', 'seconds')
  for (const name of names) for (const concurrency of [1, 32]) failed += await tryAll(matrix, ground, name, concurrency)
  line('')
  line('a fault at each write', '', '', 'ends', 'right', 'wrong', 'seconds')
  for (const policy of Object.keys(policies) as (keyof typeof policies)[])
    for (const name of policies[policy].filter((name) => names.includes(name)))
      failed += await tryFaults(ground, name, policy)
  line(`${((Date.now() - began) / 1000).toFixed(0)} s, ${failed} wrong`)
  return failed
}

async function tryAll(matrix: Matrix, ground: Ground, name: ScenarioName, concurrency: number): Promise<number> {
  const start = Date.now()
  const pace = { concurrency }
  const reference = await ground.run(name, 'undo', (prepared) => referenceRun(prepared, pace))
  const points = allPoints(reference)
  const wrong = await wrongPoints({ matrix, ground, name, pace, reference }, points)
  line(
    name,
    concurrency,
    reference.calls.length,
    points.length,
    points.length - wrong.length,
    wrong.length,
    ((Date.now() - start) / 1000).toFixed(1),
  )
  for (const one of wrong) process.stdout.write(`${one}\n`)
  return wrong.length
}

export interface Trials {
  readonly matrix: Matrix
  readonly ground: Ground
  readonly name: ScenarioName
  readonly pace: Pace
  readonly reference: Reference
}

/** The points after which the next process leaves something else, with the problems. Kills a process at each. */
export async function wrongPoints(
  { matrix, ground, name, pace, reference }: Trials,
  points: readonly Point[],
): Promise<readonly string[]> {
  const wrong: string[] = []
  await eachInTurn(points, 2, async (point) => {
    const problems = await ground.run(name, 'undo', (prepared) => matrix.tryPoint(prepared, reference, pace, point))
    const call = `${point.when} call ${point.call}, ${reference.calls[point.call - 1]}`
    if (problems.length > 0) wrong.push(`  ${call}:\n    ${problems.join('\n    ')}`)
  })
  return wrong
}

async function tryFaults(ground: Ground, name: ScenarioName, policy: keyof typeof policies): Promise<number> {
  let failed = 0
  const calm = await ground.run(name, policy, (prepared) => endWith(prepared, null))
  const writes = Array.from({ length: calm.writes }, (_, i) => i + 1)
  for (const fault of Object.keys(faults) as (keyof typeof faults)[]) {
    const start = Date.now()
    const wrong: string[] = []
    for (const at of writes)
      wrong.push(...(await ground.run(name, policy, (prepared) => wrongAt([at], { prepared, calm, fault, policy }))))
    const ends = new Set(wrong.map((one) => one.slice(0, one.indexOf(':')))).size
    failed += ends
    line(
      name,
      policy,
      '',
      writes.length,
      writes.length - ends,
      ends,
      ((Date.now() - start) / 1000).toFixed(1),
      `  ${fault}`,
    )
    for (const one of wrong) process.stdout.write(`  ${one}\n`)
  }
  return failed
}
