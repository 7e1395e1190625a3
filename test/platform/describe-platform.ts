// What every platform's drivers must do (src/platform/platform.ts, docs/design.md "The contract of a kind"). Each
// adapter runs it.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Identity } from '../../src/model/address.js'
import { Rejected } from '../../src/model/errors.js'
import type { Json, JsonObject } from '../../src/model/json.js'
import type { Observed } from '../../src/model/resource.js'
import type { Connection, Driver, Kinds, Platform, Target, ResourceLookup } from '../../src/platform/platform.js'

const never = new AbortController().signal

export interface PlatformWorld {
  readonly platform: Platform & Kinds
  readonly target: Target
}

interface Sample {
  readonly state: JsonObject
  readonly other: JsonObject
  /** A field changed. */
  readonly changed: JsonObject
}

const samples: Readonly<Record<string, Sample>> = {
  Label: sampleOf({ name: 'Red', color: '#f00', description: '' }, { name: 'Blue', color: '#00f', description: '' }),
  Bucket: sampleOf(
    { name: 'raw', description: '', retentionRules: [] },
    { name: 'old', description: '', retentionRules: [] },
  ),
  Dashboard: sampleOf({ name: 'Ops', description: '', charts: [] }, { name: 'More', description: '', charts: [] }),
  Task: sampleOf(task('Rollup'), task('Clean')),
  CheckDeadman: sampleOf(deadman('cpu'), deadman('disk')),
}

function sampleOf(state: JsonObject, other: JsonObject): Sample {
  return { state, other, changed: { ...state, description: 'changed' } }
}

function task(name: string): JsonObject {
  return { name, description: '', cron: '', every: '1h', offset: '', query: 'from(bucket: "raw")', status: 'active' }
}

function deadman(name: string): JsonObject {
  return { type: 'deadman', name, description: '', every: '1m0s', query: 'from(bucket: "raw")', status: 'active' }
}

/** `open` gives an empty target each time. */
export function describePlatform(name: string, open: () => Promise<PlatformWorld>): void {
  describe(`the platform ${name}`, () => {
    let world: PlatformWorld
    let connection: Connection
    beforeEach(async () => {
      world = await open()
      connection = await world.platform.connect(world.target, never)
      return () => connection[Symbol.asyncDispose]()
    })
    const driver = (kind: string): Driver => connection.driver(world.platform.kinds.find((one) => one.kind === kind)!)
    const keyOf = (kind: string, state: JsonObject): string | undefined =>
      world.platform.kinds.find((one) => one.kind === kind)!.matching?.key(state)
    const make = (kind: string, state: JsonObject): Promise<Observed> =>
      driver(kind).create(state, driver(kind).trace(state), never)

    describe.each(Object.entries(samples))('%s', (kind, { state, other, changed }) => {
      test('is found by its trace', async () => {
        const trace = driver(kind).trace(state)
        expect(await driver(kind).find(trace, never)).toBeUndefined()
        const made = await driver(kind).create(state, trace, never)
        expect(await driver(kind).find(trace, never)).toEqual(made)
      })

      test('has a trace that can be stored as JSON', () => {
        const trace = driver(kind).trace(state)
        expect(JSON.parse(JSON.stringify(trace))).toEqual(trace)
      })

      test('is not found by the trace of another create', async () => {
        await make(kind, state)
        expect(await driver(kind).find(driver(kind).trace(other), never)).toBeUndefined()
      })

      test('has at least the given state after an update', async () => {
        const made = await make(kind, state)
        expect((await driver(kind).update(made, state, never)).actual).toMatchObject(state)
      })

      test('is read by its identity', async () => {
        const made = await make(kind, state)
        await make(kind, other)
        expect(await readOne(driver(kind), { identity: made.identity })).toEqual(made)
      })

      test('is absent from the map if it does not exist', async () => {
        expect(await readOne(driver(kind), { identity: '0123456789abcdef' as Identity })).toBeUndefined()
      })

      test('keeps its identity after an update', async () => {
        const made = await make(kind, state)
        const now = await driver(kind).update(made, changed, never)
        expect(now.identity).toBe(made.identity)
        expect(await readOne(driver(kind), { identity: made.identity })).toEqual(now)
      })

      test('may be updated twice', async () => {
        const made = await make(kind, state)
        const once = await driver(kind).update(made, changed, never)
        expect(await driver(kind).update(made, changed, never)).toEqual(once)
      })

      test('loses fields that an update does not have', async () => {
        const made = await make(kind, { ...state, extra: 'x' })
        expect((await driver(kind).update(made, state, never)).actual).toEqual(state)
      })

      test('does not exist after a removal, which may be repeated', async () => {
        const made = await make(kind, state)
        await driver(kind).remove(made, never)
        expect(await readOne(driver(kind), { identity: made.identity })).toBeUndefined()
        await expect(driver(kind).remove(made, never)).resolves.toBeUndefined()
      })

      test('cannot be updated after its removal', async () => {
        const made = await make(kind, state)
        await driver(kind).remove(made, never)
        await expect(driver(kind).update(made, changed, never)).rejects.toBeInstanceOf(Rejected)
      })

      test('has another identity after it is recreated', async () => {
        const made = await make(kind, state)
        await driver(kind).remove(made, never)
        expect((await make(kind, state)).identity).not.toBe(made.identity)
      })

      test('has an id of 16 hex digits', async () => {
        expect((await make(kind, state)).identity).toMatch(/^[0-9a-f]{16}$/)
      })
    })

    describe.each(['Label', 'Bucket'])('%s', (kind) => {
      const { state, other } = samples[kind]!

      test('is read by its key without an identity, or if the identity does not exist', async () => {
        const made = await make(kind, state)
        const key = keyOf(kind, state)!
        expect(await readOne(driver(kind), { key })).toEqual(made)
        expect(await readOne(driver(kind), { key, identity: '0123456789abcdef' as Identity })).toEqual(made)
      })

      test('is read by its identity if another resource has the key', async () => {
        const made = await make(kind, state)
        await make(kind, other)
        expect(await readOne(driver(kind), { identity: made.identity, key: keyOf(kind, other)! })).toEqual(made)
      })

      test('has a unique name', async () => {
        const made = await make(kind, state)
        const error = await make(kind, { ...other, name: state['name']! }).catch((caught: unknown) => caught)
        expect(error).toBeInstanceOf(Rejected)
        expect((error as Error).message).toContain(made.identity)
        const second = await make(kind, other)
        await expect(driver(kind).update(second, { ...other, name: state['name']! }, never)).rejects.toBeInstanceOf(
          Rejected,
        )
      })

      test('leaves nothing behind when its creation is refused', async () => {
        await make(kind, state)
        const trace: Json = driver(kind).trace(state)
        await driver(kind)
          .create(state, trace, never)
          .catch(() => {})
        expect(await driver(kind).find(trace, never)).toBeUndefined()
      })

      test('may take a released name', async () => {
        const made = await make(kind, state)
        await driver(kind).update(made, other, never)
        expect((await make(kind, state)).identity).not.toBe(made.identity)
      })
    })

    test('names of labels ignore case and surrounding spaces', async () => {
      await make('Label', samples['Label']!.state)
      await expect(make('Label', { ...samples['Label']!.state, name: '  rED ' })).rejects.toBeInstanceOf(Rejected)
    })

    test('names of buckets are case-sensitive', async () => {
      await make('Bucket', samples['Bucket']!.state)
      await expect(make('Bucket', { ...samples['Bucket']!.state, name: 'RAW' })).resolves.toBeDefined()
    })

    test.each(['Dashboard', 'Task'])('two resources of the kind %s may have the same name', async (kind) => {
      const first = await make(kind, samples[kind]!.state)
      expect((await make(kind, samples[kind]!.state)).identity).not.toBe(first.identity)
    })

    test('a label and a bucket may have the same name', async () => {
      await make('Label', { ...samples['Label']!.state, name: 'raw' })
      await expect(make('Bucket', samples['Bucket']!.state)).resolves.toBeDefined()
    })

    describe('a label mapping', () => {
      const ends = async (): Promise<{ bucket: Observed; label: Observed; mapping: JsonObject }> => {
        const bucket = await make('Bucket', samples['Bucket']!.state)
        const label = await make('Label', samples['Label']!.state)
        return {
          bucket,
          label,
          mapping: { resourceType: 'buckets', resourceID: bucket.identity, labelID: label.identity },
        }
      }

      test('is found by its two ends, even if it was created by hand', async () => {
        const { mapping } = await ends()
        const made = await make('LabelMapping', mapping)
        expect(await driver('LabelMapping').find(driver('LabelMapping').trace(mapping), never)).toEqual(made)
        expect(await readOne(driver('LabelMapping'), { key: keyOf('LabelMapping', mapping)! })).toEqual(made)
      })

      test.each(['bucket', 'label'] as const)('is removed with its %s', async (end) => {
        const { mapping, ...both } = await ends()
        const made = await make('LabelMapping', mapping)
        await driver(end === 'bucket' ? 'Bucket' : 'Label').remove(both[end], never)
        expect(await readOne(driver('LabelMapping'), { identity: made.identity })).toBeUndefined()
      })

      test.each(['resourceID', 'labelID'])('cannot be created without its %s', async (end) => {
        const { mapping } = await ends()
        await expect(make('LabelMapping', { ...mapping, [end]: '0123456789abcdef' })).rejects.toBeInstanceOf(Rejected)
      })

      test('cannot be created twice', async () => {
        const { mapping } = await ends()
        await make('LabelMapping', mapping)
        await expect(make('LabelMapping', mapping)).rejects.toBeInstanceOf(Rejected)
      })

      test('does not remove its ends', async () => {
        const { bucket, label, mapping } = await ends()
        await driver('LabelMapping').remove(await make('LabelMapping', mapping), never)
        expect(await readOne(driver('Bucket'), { identity: bucket.identity })).toEqual(bucket)
        expect(await readOne(driver('Label'), { identity: label.identity })).toEqual(label)
      })
    })

    describe('a system bucket', () => {
      test('exists, and cannot be changed or removed', async () => {
        const there = await readOne(driver('Bucket'), { key: '_tasks' })
        expect(there).toBeDefined()
        await expect(driver('Bucket').update(there!, { ...there!.actual, name: 'mine' }, never)).rejects.toBeInstanceOf(
          Rejected,
        )
        await expect(driver('Bucket').remove(there!, never)).rejects.toBeInstanceOf(Rejected)
      })

      test('cannot be created', async () => {
        await expect(make('Bucket', { ...samples['Bucket']!.state, name: '_mine' })).rejects.toBeInstanceOf(Rejected)
        const made = await make('Bucket', samples['Bucket']!.state)
        await expect(driver('Bucket').update(made, { ...made.actual, name: '_mine' }, never)).rejects.toBeInstanceOf(
          Rejected,
        )
      })
    })

    test('reads many resources at once', async () => {
      const made = await Promise.all(
        Array.from({ length: 40 }, (_, i) => make('Dashboard', { ...samples['Dashboard']!.state, name: `d${i}` })),
      )
      const desired = made.map(({ identity }, i): ResourceLookup => ({
        address: `Dashboard/d${i}` as ResourceLookup['address'],
        identity,
      }))
      const read = await driver('Dashboard').read(desired, never)
      expect([...read.values()].map(({ actual }) => actual['name'])).toEqual(made.map(({ actual }) => actual['name']))
    })

    test('lists each resource once, page by page', async () => {
      for (const kind of Object.keys(samples)) await make(kind, samples[kind]!.state)
      const whole = await connection.list({ limit: 500 }, never)
      const paged = []
      for (let after: string | undefined; ;) {
        const page = await connection.list({ limit: 2, ...(after === undefined ? {} : { after }) }, never)
        paged.push(...page)
        const last = page.at(-1)
        if (last === undefined) break
        after = `${last.family}/${last.observed.identity}`
      }
      expect(paged).toEqual(whole)
      expect(whole.map(({ family }) => family)).toEqual(
        expect.arrayContaining(['Label', 'Bucket', 'Dashboard', 'Task', 'Check']),
      )
    })

    test('another organisation does not have the resources', async () => {
      const made = await make('Label', samples['Label']!.state)
      await using other = await world.platform.connect({ ...world.target, settings: { organisation: 'other' } }, never)
      const kind = world.platform.kinds.find((one) => one.kind === 'Label')!
      expect(await readOne(other.driver(kind), { identity: made.identity, key: 'red' })).toBeUndefined()
    })
  })
}

async function readOne(driver: Driver, desired: Omit<ResourceLookup, 'address'>): Promise<Observed | undefined> {
  const address = 'Any/one' as ResourceLookup['address']
  return (await driver.read([{ address, ...desired }], never)).get(address)
}
