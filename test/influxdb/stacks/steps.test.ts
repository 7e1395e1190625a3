// A large package is worked on in many steps, between which the event loop serves others.
import { expect, test } from 'vitest'
import { graphSteps } from '../../../src/graph/graph.js'
import { packageSteps, readPackage, type PackageSteps } from '../../../src/package/package.js'
import { planSteps } from '../../../src/plan/plan.js'
import type { Steps } from '../../../src/lib/async/steps.js'
import type { Identity } from '../../../src/model/address.js'
import { mostProblems } from '../../../src/model/problem.js'
import { jsonTexts, yamlTexts } from '../../../src/package/print-package.js'
import { ExportSelection } from '../../../src/stacks/export/selection.js'
import { dependenciesOf } from '../../../src/stacks/export/dependencies.js'
import { nameResources } from '../../../src/stacks/export/names.js'
import { inventorySteps } from '../../../src/stacks/export/inventory.js'
import { documentSteps, invalidSteps } from '../../../src/stacks/export/write-documents.js'
import { builtSteps, declaredSteps } from '../../../src/stacks/load-package/read-declared.js'
import { missingValues } from '../../../src/stacks/inputs/missing-inputs.js'
import { viewEvents } from '../../../src/influxdb/templates/stack-events.js'
import { resourceRows } from '../../../src/stacks/queries/view-stack.js'
import { toWireDiff } from '../../../src/influxdb/templates/wire-diff.js'
import { WireObjects } from '../../../src/influxdb/templates/wire-objects.js'
import { toWireSummary } from '../../../src/influxdb/templates/wire-summary.js'
import { eventResourceSteps } from '../../../src/store/sqlite/runs/ownership-event.js'
import type { OwnershipEvent } from '../../../src/model/stacks/run.js'
import type { Stack } from '../../../src/model/stacks/stack.js'
import { label } from '../packages.js'
import { never, useWorld } from '../world.js'
import { file, kindOf } from '../read-texts.js'
import { settled } from '../../plan/scenario.js'
import { influxdbKinds } from '../../../src/influxdb/kinds/kinds.js'

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

const kindNamed = (name: string) => influxdbKinds.find(({ kind }) => kind === name)

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
const files = [
  ...Array.from({ length: 20 }, (_, at) => file(`${at}.yml`, labels(100 * at, 100))),
  file('.gitmoorignore', ''),
]

test('reading a package, building its graph and planning it take a step for each document', () => {
  const read = counted(packageSteps(files))
  expect(read.value.value).toHaveLength(documents)
  expect(read.count).toBeGreaterThanOrEqual(documents)
  const graph = counted(graphSteps(read.value.value, kindOf))
  expect(graph.value.value.resources).toHaveLength(documents)
  expect(graph.count).toBeGreaterThanOrEqual(6 * documents)
  const { resources } = graph.value.value
  const plan = counted(planSteps({ ...emptyInput, resources }))
  expect(plan.value.value.changes).toHaveLength(documents)
  expect(plan.count).toBeGreaterThanOrEqual(2 * documents)
  const again = counted(planSteps({ ...emptyInput, resources, ...settled(resources), kindNamed }))
  expect(again.value.value).toMatchObject({ changes: [], unchanged: documents })
  expect(again.count).toBeGreaterThanOrEqual(6 * documents)
})

test('a dashboard is read chart by chart', () => {
  const spec = { charts: Array.from({ length: documents }, (_, xPos) => ({ kind: 'Markdown', xPos })) }
  const body = { apiVersion: 'influxdata.com/v2alpha1', kind: 'Dashboard', metadata: { name: 'wide' }, spec }
  const read = readPackage([file('a.json', JSON.stringify(body))])
  const graph = counted(graphSteps(read.value, kindOf))
  expect(graph.value.value.resources[0]?.spec.charts).toHaveLength(documents)
  expect(graph.count).toBeGreaterThanOrEqual(documents)
})

test('what a stack owns, and the answer of a dry run, take a step for each resource at each stage', () => {
  const { resources } = counted(graphSteps(counted(packageSteps(files)).value.value, kindOf)).value.value
  const before = settled(resources)
  const owned = [...before.owned.values()]
  const input = { ...emptyInput, resources, ...before, kindNamed }
  const plan = counted(planSteps(input)).value.value
  const wirePlan = { orgID: 'o', resources, planned: { ...input, plan, problems: [], missingSecrets: [] } }
  const objects = new WireObjects(wirePlan)
  const events = [{ resources: owned.map(() => ({ kind: 'Label' })) }] as unknown as readonly OwnershipEvent[]
  const stack = { spec: { sources: [] } } as unknown as Stack
  const least = [
    [counted(resourceRows(owned, kindNamed)), 1],
    [counted(viewEvents(stack, events, () => 'v1')), 1],
    [counted(eventResourceSteps(owned, { associated: [], unlisted: [] })), 3],
    [counted(missingValues(resources)), 1],
    [counted(toWireSummary(wirePlan, objects, { envRefs: [], secrets: [] })), 3],
    [counted(toWireDiff(wirePlan, objects, new Set(['x/y']))), 3],
  ] as const
  expect(least.map(([{ count }, times]) => count >= times * documents)).toEqual(least.map(() => true))
})

test('of problems, each has its line found in a step of its own', async () => {
  const wrong = files.map((one) =>
    file(one.path, Buffer.from(one.bytes).toString().replaceAll('kind: Label', 'kind: Nonsense')),
  )
  const { inputs } = world().agent.sync
  const { platform } = world()
  const given = await inputs.ofUnstored({ files: [] }, undefined, never)
  const read = readPackage(wrong)
  const graph = counted(builtSteps(read, { platform, given }))
  const built = { documents: read.value, unread: read.problems, graph: graph.value }
  const { value, count } = counted(declaredSteps(built, { platform, given }))
  expect(value.problems).toHaveLength(mostProblems)
  expect(graph.count).toBeGreaterThanOrEqual(documents)
  expect(count).toBeGreaterThanOrEqual(mostProblems)
})

test('an export takes a step for each resource at each stage, and is printed document by document', () => {
  const { platform } = world()
  const listed = Array.from({ length: documents }, (_, at) => {
    const actual = { name: `label ${at}`, color: '#112233', description: '' }
    return { family: 'Label', observed: { identity: (at + 1).toString(16).padStart(16, '0') as Identity, actual } }
  })
  const stock = counted(inventorySteps('system', platform, listed))
  const choice = new ExportSelection()
  const steps = [
    stock.count / 2,
    counted(choice.addTarget({ target: 'local' }, stock.value, new Set())).count,
    counted(choice.addDependencies((chosen) => dependenciesOf(chosen, { withVariables: true, problems: [] }))).count,
  ]
  const names = counted(nameResources(stock.value.resources, new Map()))
  const written = counted(documentSteps(choice.resources, names.value))
  const unfit = counted(invalidSteps(written.value.value, platform))
  const printed = [yamlTexts(written.value.value), jsonTexts(written.value.value, 2)].map((texts) => [...texts].length)
  for (const count of [...steps, names.count / 2, written.count, unfit.count, ...printed])
    expect(count).toBeGreaterThanOrEqual(documents)
  expect(written.value.value).toHaveLength(documents)
  expect(unfit.value).toEqual([])
})
