// `npm run crash`: every point of every scenario, one write at a time and many at once.
import { buildChild } from './build-child.js'
import { eachInTurn } from './each-in-turn.js'
import { endWith, faults, policies, wrongAt } from './faults.js'
import { allPoints, Matrix, prepare, referenceRun } from './matrix.js'
import { scenarios, type ScenarioName } from './scenarios.js'

using child = await buildChild()
const matrix = new Matrix(child.entry)
const only = process.argv.slice(2)
const names = (Object.keys(scenarios) as ScenarioName[]).filter((name) => only.length === 0 || only.includes(name))
const widest = Math.max(...names.map((name) => name.length))
const line = (...cells: readonly (string | number)[]): void => {
  const [name = '', ...rest] = cells
  process.stdout.write(`${String(name).padEnd(widest)}${rest.map((cell) => String(cell).padStart(10)).join('')}\n`)
}

let failed = 0
const began = Date.now()
line('scenario', 'at once', 'calls', 'points', 'right', 'wrong', 'seconds')
for (const name of names) for (const concurrency of [1, 32]) await tryAll(name, concurrency)
line('')
line('a fault at each write', '', '', 'ends', 'right', 'wrong', 'seconds')
for (const policy of Object.keys(policies) as (keyof typeof policies)[])
  for (const name of policies[policy].filter((name) => names.includes(name))) await tryFaults(name, policy)
line(`${((Date.now() - began) / 1000).toFixed(0)} s, ${failed} wrong`)
process.exitCode = failed > 0 ? 1 : 0

async function tryAll(name: ScenarioName, concurrency: number): Promise<void> {
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
  failed += wrong.length
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
}

async function tryFaults(name: ScenarioName, policy: keyof typeof policies): Promise<void> {
  using prepared = await prepare(name, policy)
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
}
