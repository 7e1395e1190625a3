// A target that refuses each write of an apply in turn, and then one write of its undo, too. `npm test` tries every
// fourth of these writes, `npm run test:all` all.
import { describe, expect, test } from 'vitest'
import { resourceTypes } from '../../src/influxdb/kinds/kinds.js'
import { Rejected, Unavailable } from '../../src/model/errors.js'
import { attackScale, attackSeed } from '../attack/scale.js'
import { everyKind, everySecret, halfOfEveryKind, type Thing } from './every-kind.js'
import { askWire, orgOf, templates, type WireReply } from './wire-door.js'
import { isEmbedded, never, useWorld } from '../influxdb/world.js'

const world = useWorld()

interface Package {
  readonly things: readonly Thing[]
  readonly secrets: Readonly<Record<string, string>>
}

const one: Package = { things: everyKind(), secrets: everySecret('one') }
const other: Package = isEmbedded
  ? { things: everyKind(' two'), secrets: everySecret('two') }
  : { things: everyKind(' two').map(withFormerToken), secrets: one.secrets }
const half: Package = { things: halfOfEveryKind(), secrets: {} }

function withFormerToken(thing: Thing): Thing {
  const former = one.things.find(({ metadata }) => metadata.name === thing.metadata.name)!.spec['token']
  return former === undefined ? thing : { ...thing, spec: { ...thing.spec, token: former } }
}

function apply({ things, secrets }: Package, more: object = {}): Promise<WireReply> {
  return templates(world(), [], { template: { contents: things }, secrets, ...more })
}

/** What is on the target, ids as the names of what has them; cells, which change theirs, have none. */
async function picture(): Promise<readonly string[]> {
  const { items } = await world().ask.listResources({ limit: 500 }, never)
  const named = items.filter(({ family, displayName }) => family !== 'LabelMapping' && !displayName.startsWith('_'))
  const whole = named.filter(({ family }) => family !== 'Secret')
  const names = new Map(whole.map(({ id, family, displayName }) => [id, `<${family} ${displayName}>`]))
  const text = (value: unknown): string =>
    JSON.stringify(value)
      .replaceAll(/,"id":"[0-9a-f]{16}"/g, '')
      .replaceAll(/[0-9a-f]{16}/g, (id) => names.get(id) ?? id)
  return items
    .filter(({ displayName }) => !displayName.startsWith('_'))
    .map(({ family, id, actual }) => text([family, family === 'Secret' ? id : '', actual]))
    .toSorted()
}

interface Fate {
  readonly families: string[]
}

const refused = (): Error => new Rejected('The target says no.', { code: 'platform/refused' })
const gone = (): Error => new Unavailable('No answer.', { code: 'platform/gone' })

/** From now on the first of these writes is refused, counted from 1, and the others fail in the way that is given. */
function failAt(writes: readonly number[], then: () => Error = refused): Fate {
  const families: string[] = []
  let count = 0
  world().platform.reset()
  world().platform.onCall(({ verb, family }) => {
    if (verb === 'read' || verb === 'find' || !writes.includes(++count)) return
    families.push(family)
    throw families.length === 1 ? refused() : then()
  })
  return { families }
}

/** A package before, one after, and how many writes lie between them. `changes`: default: as many. */
interface Step {
  readonly before?: Package
  readonly after: Package
  readonly writes: number
  readonly changes?: number
}

const steps: Readonly<Record<string, Step>> = {
  // A server makes rules, tasks, a dashboard and a Telegraf configuration by two writes each.
  'a first apply': { after: one, writes: isEmbedded ? 26 : 31, changes: 26 },
  // A server does not give back the former secrets, so only names change.
  'a change of every display name and secret': { before: one, after: other, writes: isEmbedded ? 17 : 15 },
  'a removal of half': { before: one, after: half, writes: 13 },
}

const gap = attackScale() < 1 ? 4 : 1

/** The writes to try at this scale: the seed chooses the first; always the last. */
function triedOf(writes: readonly number[]): readonly number[] {
  return writes.filter((_, at) => at % gap === attackSeed() % gap || at === writes.length - 1)
}

interface Former {
  readonly stackID?: string
  readonly there: readonly string[]
  readonly record: any
}

async function begin({ before }: Step): Promise<Former> {
  if (before === undefined) return { there: await picture(), record: undefined }
  const { status, body } = await apply(before)
  expect([status, body.message]).toEqual([201, undefined])
  const { stackID } = body
  return { stackID, there: await picture(), record: await recordOf(stackID) }
}

const recordOf = async (stackID: string): Promise<any> =>
  (await askWire(world(), 'GET', `/api/v2/stacks/${stackID}`)).body
const to = ({ stackID }: Former): object => (stackID === undefined ? {} : { stackID })
const stacks = async (): Promise<number> => (await world().ask.listStacks({})).items.length

/** What a record says, without the ids: these change where something was made again. */
function withoutIds({ resources, name, description, urls, sources }: any): unknown {
  const kept = resources.map(({ resourceID: _id, links: _links, ...rest }: any) => rest)
  return { name, description, urls, sources, resources: kept }
}

/** Returns the state now: a resource that was removed and restored has another id, with one event. */
async function asBefore(former: Former): Promise<Former> {
  expect(await picture()).toEqual(former.there)
  if (former.stackID === undefined) {
    expect(await stacks()).toBe(0)
    return former
  }
  const record = await recordOf(former.stackID)
  expect(withoutIds(record)).toEqual(withoutIds(former.record))
  const there = new Set((await world().ask.listResources({ limit: 500 }, never)).items.map(({ id }) => id))
  expect(idsOf(record).filter((id) => !there.has(id))).toEqual([])
  const isMadeAgain = idsOf(record).join() !== idsOf(former.record).join()
  expect(record.events).toHaveLength(former.record.events.length + (isMadeAgain ? 1 : 0))
  return { ...former, record }
}

const idsOf = ({ resources }: any): readonly string[] => resources.map(({ resourceID }: any) => resourceID)

/** The package is there, once, and nothing else is. */
async function reaches({ after }: Step, stackID: string | undefined): Promise<void> {
  world().platform.reset()
  const done = await apply(after, stackID === undefined ? {} : { stackID })
  expect([done.status, done.body.message]).toEqual([201, undefined])
  const dry = await apply(after, { stackID: done.body.stackID, dryRun: true })
  const entries = Object.values(dry.body.diff as Record<string, any[]>).flat()
  expect(entries.filter(({ stateStatus, changed }) => stateStatus !== 'exists' || changed === true)).toEqual([])
  const { items } = await world().ask.listResources({ limit: 500 }, never)
  const things = items.filter(
    ({ family, displayName }) => family !== 'LabelMapping' && family !== 'Secret' && !displayName.startsWith('_'),
  )
  expect(things.map(({ displayName }) => displayName).toSorted()).toEqual(
    after.things.map(({ spec }) => String(spec['name'])).toSorted(),
  )
}

function says(message: string, family: string): void {
  const type = resourceTypes[family] ?? family
  expect(message).toContain(`resource_type="${type}" metadata_name="`)
}

describe.each(Object.entries(steps))('in %s', (_title, step) => {
  test('the refusal of any write is 500 with what failed, and everything is as before', async () => {
    let former = await begin(step)
    for (const write of triedOf(Array.from({ length: step.writes }, (_, at) => at + 1))) {
      const { families } = failAt([write])
      const { status, body } = await apply(step.after, to(former))
      expect([write, status, body.code, body.message]).toEqual([
        write,
        500,
        'internal error',
        expect.stringContaining('was undone'),
      ])
      says(body.message, families[0]!)
      former = await asBefore(former)
    }
    await reaches(step, former.stackID)
    expect(world().platform.writes).toHaveLength(step.writes)
  })

  /** The last write is refused, so that all before it is undone; then every third write of the undo fails in turn. */
  const undone = Math.floor(((step.changes ?? step.writes) - 1) / 3)
  const unlucky = triedOf(Array.from({ length: undone }, (_, at) => step.writes + 1 + at * 3))

  test('a refusal during the undo is reported, too; a later apply reaches the desired state', async () => {
    for (const write of unlucky) {
      const former = await begin(step)
      const { families } = failAt([step.writes, write])
      const { status, body } = await apply(step.after, to(former))
      expect([write, status, families.length, body.message]).toEqual([
        write,
        500,
        2,
        expect.stringContaining('Not undone:'),
      ])
      await reaches(step, former.stackID ?? leftIn(body.message))
      await startOver()
    }
  })

  test('an undo waits while the target does not answer, and continues when it does', async () => {
    for (const write of unlucky) {
      const former = await begin(step)
      const { families } = failAt([step.writes, write], gone)
      const { status, body } = await apply(step.after, to(former))
      const stackID = former.stackID ?? leftIn(body.message)
      expect([write, status, families.length, body.message]).toEqual([
        write,
        500,
        2,
        expect.stringContaining('once the target answers'),
      ])
      expect((await world().store.journal.openEntries(stackID)).length).toBeGreaterThan(0)
      world().platform.reset()
      await hoursLater(stackID)
      expect(await world().store.journal.openEntries(stackID)).toEqual([])
      expect(await picture()).toEqual(former.there)
      await reaches(step, stackID)
      await startOver()
    }
  })
})

/** The stack that an apply made and that could not go again. */
function leftIn(message: string): string {
  return (
    /[0-9a-f]{16}/.exec(/The stack [0-9a-f]{16} stays/.exec(message)?.[0] ?? '')?.[0] ??
    `no stack is named in: ${message}`
  )
}

/** Without any stack, and without what stacks leave: given secrets. */
async function startOver(): Promise<void> {
  world().platform.reset()
  const orgID = await orgOf(world())
  for (const { id } of (await world().ask.listStacks({})).items)
    await askWire(world(), 'DELETE', `/api/v2/stacks/${id}?orgID=${orgID}`)
  for (const key of Object.keys(one.secrets))
    await world().ask.deleteResource(`Secret/${key}`, { consent: `Secret/${key}` }, never)
  expect(await picture()).toEqual([])
}

/** Whatever is due by then for the stack has begun and ended. */
async function hoursLater(stack: string): Promise<void> {
  for (let i = 0; i < 3; i++) {
    world().clock.advance(3_600_000)
    world().agent.runs.wake(stack)
    await world().agent.runs.exclusively(stack, never, async () => {})
  }
}
