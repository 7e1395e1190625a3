// A large package is worked on in many steps, between which the event loop serves others.
import { expect, test } from 'vitest'
import { graphSteps } from '../../src/graph/graph.js'
import { packageSteps, readPackage } from '../../src/package/package.js'
import { planSteps } from '../../src/plan/plan.js'
import type { PackageSteps } from '../../src/package/package.js'
import type { Steps } from '../../src/model/turns.js'
import { mostProblems } from '../../src/model/problem.js'
import { wantedSteps } from '../../src/stacks/sync.js'
import { label } from '../e2e/packages.js'
import { useWorld } from '../e2e/world.js'
import { file, kindOf } from '../graph/read-texts.js'

const world = useWorld()

const emptyInput: Parameters<typeof planSteps>[0] = {
  stack: 's',
  target: 't',
  revision: 'r',
  resources: [],
  owned: new Map(),
  observed: new Map(),
  claims: { owner: () => undefined, sharers: () => [] },
  consent: null,
  policy: { apply: 'auto', maxDeletes: 10, adopt: 'allow', dataLoss: 'refuse' },
  kindNamed: () => undefined,
}

/** What comes of the steps, and how many there were. */
function counted<T>(steps: Steps<T> | PackageSteps<T>): { readonly value: T; readonly count: number } {
  for (let count = 0; ; count++) {
    const step = steps.next(undefined)
    if (step.done === true) return { value: step.value, count }
  }
}

const documents = 2_000
const labels = (first: number, count: number): string =>
  Array.from({ length: count }, (_, at) => `${label(`l${first + at}`)}\n`).join('---\n')
const files = [...Array.from({ length: 20 }, (_, at) => file(`${at}.yml`, labels(100 * at, 100))), file('.gitmoorignore', '')]

test('reading a package, building its graph and planning it take a step for each document', () => {
  const read = counted(packageSteps(files))
  expect(read.value.value).toHaveLength(documents)
  expect(read.count).toBeGreaterThanOrEqual(documents)
  const graph = counted(graphSteps(read.value.value, kindOf))
  expect(graph.value.value.resources).toHaveLength(documents)
  expect(graph.count).toBeGreaterThanOrEqual(3 * documents)
  const { resources } = graph.value.value
  const plan = counted(planSteps({ ...emptyInput, resources }))
  expect(plan.value.value.changes).toHaveLength(documents)
  expect(plan.count).toBeGreaterThanOrEqual(2 * documents)
})

test('of problems, each has its line found in a step of its own', () => {
  const wrong = files.map((one) => file(one.path, Buffer.from(one.bytes).toString().replaceAll('kind: Label', 'kind: Nonsense')))
  const { targets, supplies } = world().agent.sync
  const spec = { target: 'local', sources: [] }
  const { value, count } = counted(wantedSteps(readPackage(wrong), spec, { targets, supplied: supplies.given({ files: [] }, undefined) }))
  expect(value.problems).toHaveLength(mostProblems)
  expect(count).toBeGreaterThanOrEqual(documents + mostProblems)
})
