// Every point of every scenario, one write at a time and many at once.
import type { PlatformUnderTest } from '../plain/under-test.js'
import { buildChild } from './build-child.js'
import { eachInTurn } from './each-in-turn.js'
import { endWith, faults, policies, wrongAt } from './faults.js'
import { allPoints, Matrix, prepare, referenceRun } from './matrix.js'
import { scenarios, type ScenarioName } from './scenarios.js'

const widest = Math.max(...Object.keys(scenarios).map((name) => name.length))
const line = (...cells: readonly (string | number)[]): void => {
  const [name = '', ...rest] = cells
  process.stdout.write(`${String(name).padEnd(widest)}${rest.map((cell) => String(cell).padStart(10)).join('')}\n`)
}

/** Tries all scenarios, or those that are named, and prints what came of them. Gives how many ended wrong. */
export async function runAll(only: readonly string[], on: PlatformUnderTest, input?: string): Promise<number> {
  using child = await buildChild(input)
  const matrix = new Matrix(child.entry, on)
  const names = (Object.keys(scenarios) as ScenarioName[]).filter((name) => only.length === 0 || only.includes(name))
  let failed = 0
  const began = Date.now()
  line('scenario', 'at once', 'calls', 'points', 'right', 'wrong', 'seconds')
  for (const name of names) for (const concurrency of [1, 32]) failed += await tryAll(matrix, name, concurrency)
  line('')
  line('a fault at each write', '', '', 'ends', 'right', 'wrong', 'seconds')
  for (const policy of Object.keys(policies) as (keyof typeof policies)[])
    for (const name of policies[policy].filter((name) => names.includes(name)))
      failed += await tryFaults(name, policy, on)
  line(`${((Date.now() - began) / 1000).toFixed(0)} s, ${failed} wrong`)
  return failed
}

async function tryAll(matrix: Matrix, name: ScenarioName, concurrency: number): Promise<number> {
  const start = Date.now()
  using prepared = await matrix.prepare(name)
  const reference = await referenceRun(prepared, { concurrency })
  const points = allPoints(reference)
  const wrong: string[] = []
  await eachInTurn(points, 2, async (point) => {
    const problems = await matrix.tryPoint(prepared, reference, { concurrency }, point)
    if (problems.length > 0)
      wrong.push(
        `  ${point.when} call ${point.call}, ${reference.calls[point.call - 1]}:\n    ${problems.join('\n    ')}`,
      )
  })
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

async function tryFaults(name: ScenarioName, policy: keyof typeof policies, on: PlatformUnderTest): Promise<number> {
  let failed = 0
  using prepared = await prepare(name, { onFailure: policy, on })
  const calm = await endWith(prepared, null)
  const writes = Array.from({ length: calm.writes }, (_, i) => i + 1)
  for (const fault of Object.keys(faults) as (keyof typeof faults)[]) {
    const start = Date.now()
    const wrong = await wrongAt(writes, { prepared, calm, fault, policy })
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
