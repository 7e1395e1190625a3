// The contract suites on the embedded platform, and the rules of InfluxDB that it keeps.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EmbeddedPlatform } from '../../../src/influxdb/embedded/embedded-platform.js'
import type { Address } from '../../../src/model/address.js'
import { Rejected } from '../../../src/model/errors.js'
import type { JsonObject } from '../../../src/model/json.js'
import type { Observed } from '../../../src/model/resources/resource.js'
import type { Driver, ResourceLookup } from '../../../src/platform/platform.js'
import { Keyring } from '../../../src/secrets/keyring.js'
import { ManualClock } from '../../manual-clock.js'
import { describeDriver, type DriverSample } from '../../platform/describe-driver.js'
import { describePlatform } from '../../platform/describe-platform.js'
import { never, openTarget, type OpenTarget, type PlatformWorld } from '../../platform/platform-world.js'
import { openNewStore } from '../../new-data-directory.js'

const opened: (() => void)[] = []
afterEach(() => {
  for (const close of opened.splice(0)) close()
})

async function open(): Promise<PlatformWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'gitmoor-platform-'))
  const store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
  opened.push(() => {
    store[Symbol.dispose]()
    rmSync(directory, { recursive: true, force: true })
  })
  const platform = new EmbeddedPlatform(store.documents, { sealer: new Keyring(new Uint8Array(32)) })
  const [target, other] = ['main', 'other'].map((organisation) => ({
    name: organisation,
    platform: 'embedded',
    settings: { organisation },
  }))
  return { platform, target: target!, other: other! }
}

const labelSample = sampleOf('Label', { name: 'Red', color: '#f00' }, { name: 'Blue', color: '#00f' })
const bucketSample = sampleOf('Bucket', { name: 'raw', retentionRules: [] }, { name: 'old', retentionRules: [] })
const samples: readonly DriverSample[] = [
  labelSample,
  bucketSample,
  { ...sampleOf('Dashboard', { name: 'Ops', charts: [] }, { name: 'More', charts: [] }), unkeyed: true },
  { ...sampleOf('Task', task('Rollup'), task('Clean')), unkeyed: true },
  sampleOf('CheckDeadman', deadman('cpu'), deadman('disk')),
]

function sampleOf(kind: string, given: JsonObject, second: JsonObject): DriverSample {
  const [state, other] = [given, second].map((one) => ({ description: '', ...one }))
  const changed = { ...state, description: 'changed' }
  const longer = { ...state, extra: 'x' }
  return { kind, apiVersion: 'influxdata.com/v2alpha1', state: state!, other: other!, changed, longer }
}

function task(name: string): JsonObject {
  return { name, cron: '', every: '1h', offset: '', query: 'from(bucket: "raw")', status: 'active' }
}

function deadman(name: string): JsonObject {
  return { type: 'deadman', name, every: '1m0s', query: 'from(bucket: "raw")', status: 'active' }
}

describePlatform('embedded', open, samples)
describeDriver('embedded', open, samples)

describe('as InfluxDB does,', () => {
  let target: OpenTarget
  beforeEach(async () => {
    target = await openTarget(await open())
    return () => target.connection[Symbol.asyncDispose]()
  })
  const kindOf = (kind: string) => target.kinds.kinds.find((one) => one.kind === kind)!
  const driver = (kind: string): Driver => target.connection.driver(kindOf(kind))
  const keyOf = (kind: string, state: JsonObject): string => kindOf(kind).matching!.key(state)!
  const make = (kind: string, state: JsonObject): Promise<Observed> =>
    driver(kind).create(state, driver(kind).trace(state), never)
  const readOne = async (one: Driver, lookup: Omit<ResourceLookup, 'address'>): Promise<Observed | undefined> => {
    const address = 'Any/one' as Address
    return (await one.read([{ address, ...lookup }], never)).get(address)
  }

  test.each(samples)('a $kind has an id of 16 hex digits', async ({ kind, state }) => {
    expect((await make(kind, state)).identity).toMatch(/^[0-9a-f]{16}$/)
  })

  test.each([labelSample, bucketSample])(
    'the refusal of a taken name of a $kind says which one has it',
    async ({ kind, state }) => {
      const made = await make(kind, state)
      await expect(make(kind, state)).rejects.toThrow(made.identity)
    },
  )

  test('names of labels ignore case and surrounding spaces', async () => {
    await make('Label', labelSample.state)
    await expect(make('Label', { ...labelSample.state, name: '  rED ' })).rejects.toBeInstanceOf(Rejected)
  })

  test('names of buckets are case-sensitive', async () => {
    await make('Bucket', bucketSample.state)
    await expect(make('Bucket', { ...bucketSample.state, name: 'RAW' })).resolves.toBeDefined()
  })

  test('a label and a bucket may have the same name', async () => {
    await make('Label', { ...labelSample.state, name: 'raw' })
    await expect(make('Bucket', bucketSample.state)).resolves.toBeDefined()
  })

  describe('a label mapping', () => {
    const ends = async (): Promise<{ bucket: Observed; label: Observed; mapping: JsonObject }> => {
      const bucket = await make('Bucket', bucketSample.state)
      const label = await make('Label', labelSample.state)
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
      expect(await readOne(driver('LabelMapping'), { key: keyOf('LabelMapping', mapping) })).toEqual(made)
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
      await expect(make('Bucket', { ...bucketSample.state, name: '_mine' })).rejects.toBeInstanceOf(Rejected)
      const made = await make('Bucket', bucketSample.state)
      await expect(driver('Bucket').update(made, { ...made.actual, name: '_mine' }, never)).rejects.toBeInstanceOf(
        Rejected,
      )
    })
  })
})
