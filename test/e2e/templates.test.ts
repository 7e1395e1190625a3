// The InfluxDB API for packages against a running agent: seven states of a package and its target, and related cases.
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { bucket, dashboard, label, task, yaml } from '../influxdb/packages.js'
import { templates, type WireReply } from './wire-door.js'
import { useWorld } from '../influxdb/world.js'

const world = useWorld()
const red = label('lucid-einstein', { name: 'label_1' })
const cool = label('lucid-einstein', { name: 'cool label name' })
const labels = ['lucid-einstein']
const resources = (with_: readonly string[] = labels): readonly string[] => [
  bucket('pristine-noir', { name: 'bucket_1', labels: with_ }),
  dashboard('charmed-saratoba', { name: 'dash_1', labels: with_ }),
]
const state1 = yaml(red, ...resources())
const state3 = yaml(cool, ...resources())
const alcord = task('alcord-mumphries', { name: 'task_1', labels })
const state4 = yaml(cool, ...resources(), alcord)
const state6 = yaml(...resources([]))

/** The status of each resource in a diff, by metaName, and of its mappings. */
function statuses({ body: { diff } }: WireReply): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [collection, entries] of Object.entries(diff as Record<string, any[]>)) {
    for (const one of entries) {
      if (collection === 'labelMappings')
        found[`${one.resourceTemplateMetaName} ${one.labelTemplateMetaName}`] = one.stateStatus
      else
        found[one.templateMetaName] = one.changed === true && one.stateStatus === 'exists' ? 'changed' : one.stateStatus
    }
  }
  return found
}

const apply = (text: string, stackID?: string): Promise<WireReply> =>
  templates(world(), [text], stackID === undefined ? {} : { stackID })
const dryRun = (text: string, stackID?: string): Promise<WireReply> =>
  templates(world(), [text], { dryRun: true, stackID: stackID ?? null })
const idsOf = async (): Promise<Record<string, string>> =>
  Object.fromEntries(Object.entries(await world().live()).map(([name, { id }]) => [name, id]))

async function first(): Promise<string> {
  const { status, body } = await apply(state1)
  expect(status).toBe(201)
  return body.stackID as string
}

/** Whatever is due by the clock begins while the work goes on. */
async function asTimePasses<T>(work: Promise<T>): Promise<T> {
  const ended = new AbortController()
  const done = work.finally(() => ended.abort())
  while (!ended.signal.aborted) {
    world().clock.advance(100)
    await setImmediate()
  }
  return done
}

describe('an apply to an existing stack', () => {
  test('is one run, and returns the former state, even if the stack is checked meanwhile', async () => {
    const text = (color: string): string =>
      yaml(...Array.from({ length: 40 }, (_one, at) => label(`label-${at}`, { color })))
    const stack = (await apply(text('#000001'))).body.stackID as string
    for (const round of [2, 3, 4]) {
      const { body } = await asTimePasses(apply(text(`#00000${round}`), stack))
      expect(body.diff.labels[0]).toMatchObject({
        changed: true,
        old: { color: `#00000${round - 1}` },
        new: { color: `#00000${round}` },
      })
    }
    const { items } = await world().ask.listRuns(stack, { limit: 100 })
    const outcomes = items.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'superseded')
    expect(outcomes).toEqual(['applied', 'applied', 'applied', 'applied', 'unchanged'])
  })
})

describe('the seven states of a package and its target', () => {
  test('1: all is new, and a dry run writes nothing', async () => {
    const dry = await dryRun(state1)
    expect(dry.status).toBe(200)
    expect(statuses(dry)).toEqual({
      'lucid-einstein': 'new',
      'pristine-noir': 'new',
      'charmed-saratoba': 'new',
      'pristine-noir lucid-einstein': 'new',
      'charmed-saratoba lucid-einstein': 'new',
    })
    expect(dry.body.stackID).toBe('')
    expect(await world().names()).toEqual([])
    expect((await world().ask.listStacks({})).items).toEqual([])
    const stack = await first()
    expect(await world().names()).toEqual(['Bucket/bucket_1', 'Dashboard/dash_1', 'Label/label_1'])
    expect((await world().store.runs.events(stack, 10)).at(-1)?.resources).toMatchObject([
      { templateMetaName: 'pristine-noir', associations: [{ kind: 'Label', metaName: 'lucid-einstein' }] },
      { templateMetaName: 'charmed-saratoba', associations: [{ kind: 'Label', metaName: 'lucid-einstein' }] },
      { templateMetaName: 'lucid-einstein', associations: [] },
    ])
  })

  test('2: the same again changes nothing: no write call, no event', async () => {
    const stack = await first()
    const [ids, events] = [await idsOf(), await world().store.runs.events(stack, 10)]
    expect(Object.values(statuses(await dryRun(state1, stack)))).toEqual(Array(5).fill('exists'))
    world().platform.reset()
    expect((await apply(state1, stack)).status).toBe(201)
    expect(world().platform.writes).toEqual([])
    expect([await idsOf(), await world().store.runs.events(stack, 10)]).toEqual([ids, events])
  })

  test('3: a renamed label keeps its id and its mappings', async () => {
    const stack = await first()
    const ids = await idsOf()
    expect(statuses(await dryRun(state3, stack))).toMatchObject({
      'lucid-einstein': 'changed',
      'pristine-noir lucid-einstein': 'exists',
      'charmed-saratoba lucid-einstein': 'exists',
    })
    expect((await apply(state3, stack)).status).toBe(201)
    const after = await idsOf()
    expect(after['Label/cool label name']).toBe(ids['Label/label_1'])
    expect(Object.keys(after)).toHaveLength(Object.keys(ids).length)
  })

  test('4 and 5: a task comes and goes with its mapping', async () => {
    const stack = await first()
    await apply(state3, stack)
    const ids = await idsOf()
    expect(statuses(await dryRun(state4, stack))).toMatchObject({
      'alcord-mumphries': 'new',
      'alcord-mumphries lucid-einstein': 'new',
    })
    await apply(state4, stack)
    expect(await world().names()).toContain('Task/task_1')
    expect(statuses(await dryRun(state3, stack))).toMatchObject({
      'alcord-mumphries': 'remove',
      'alcord-mumphries lucid-einstein': 'remove',
    })
    await apply(state3, stack)
    expect(await idsOf()).toEqual(ids)
  })

  test('6: a label goes with its mappings, the rest stays', async () => {
    const stack = await first()
    const { 'Bucket/bucket_1': kept, 'Dashboard/dash_1': alsoKept } = await idsOf()
    const dry = await dryRun(state6, stack)
    expect(statuses(dry)).toMatchObject({
      'lucid-einstein': 'remove',
      'pristine-noir lucid-einstein': 'remove',
      'charmed-saratoba lucid-einstein': 'remove',
    })
    expect(dry.body.diff.labels[0]).toMatchObject({ kind: 'Label', old: { name: 'label_1' } })
    expect(dry.body.diff.labelMappings).toHaveLength(2)
    expect(dry.body.diff.labelMappings[0]).toMatchObject({ resourceName: 'bucket_1', labelName: 'label_1' })
    await apply(state6, stack)
    expect(await idsOf()).toEqual({ 'Bucket/bucket_1': kept, 'Dashboard/dash_1': alsoKept })
    const last = (await world().store.runs.events(stack, 10)).at(-1)
    expect(last?.resources.map(({ associations }) => associations)).toEqual([[], []])
  })
})
