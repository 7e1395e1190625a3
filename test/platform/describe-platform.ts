// What every platform must do (src/platform/platform.ts, docs/reference/platform-contract.md). An author of a platform
// calls it, with samples for its listings; `describeDriver` and `describeKind` hold the rest.
import { beforeEach, describe, expect, test } from 'vitest'
import { partApiVersion } from '../../src/model/resources/kind.js'
import type { Connection, Kinds, ListedResource } from '../../src/platform/platform.js'
import { registerPlatforms } from '../../src/platform/register-platforms.js'
import type { DriverSample } from './describe-driver.js'
import { never, openTarget, type OpenTarget, type PlatformWorld } from './platform-world.js'

/** `open`: gives empty targets each time. */
export function describePlatform(
  name: string,
  open: () => Promise<PlatformWorld>,
  samples: readonly DriverSample[],
): void {
  describe(`the platform ${name}`, () => {
    let world: PlatformWorld
    let opened: OpenTarget
    let connection: Connection
    let kinds: Kinds
    beforeEach(async () => {
      world = await open()
      opened = await openTarget(world)
      ;({ connection, kinds } = opened)
      return () => connection[Symbol.asyncDispose]()
    })

    /** Makes both resources of each sample. */
    async function makeAll({ connection: at, kind }: OpenTarget): Promise<void> {
      for (const sample of samples) {
        const driver = at.driver(kind(sample.kind, sample.apiVersion))
        for (const state of [sample.state, sample.other]) await driver.create(state, driver.trace(state), never)
      }
    }

    test('fulfils this version of the contract', () => {
      expect(registerPlatforms([world.platform], [world.platform]).get(world.target.platform)).toBe(world.platform)
    })

    test('names the same system for the same settings, and another one for another target', () => {
      const { platform, target, other } = world
      const id = platform.systemId(target.settings)
      expect(id).toMatch(/^[^\x00-\x1f\x7f]{1,500}$/)
      expect(platform.systemId(structuredClone(target.settings))).toBe(id)
      expect(platform.systemId(other.settings)).not.toBe(id)
    })

    test('says how many writes and runs may be in progress at once', () => {
      expect(connection.concurrency).toSatisfy(isPositiveInteger)
      expect(world.platform.places ?? 1).toSatisfy(isPositiveInteger)
    })

    test('reports warnings as sentences with a code', () => {
      for (const one of connection.warnings ?? [])
        expect(one).toMatchObject({
          code: expect.stringMatching(codeForm) as string,
          message: expect.stringMatching(/\.$/) as string,
        })
    })

    test('finds each of its kinds by each of its apiVersions', () => {
      for (const kind of kinds.kinds)
        for (const version of kind.apiVersions) expect(kinds.kind(kind.kind, version)).toBe(kind)
    })

    test('has families that fit into addresses', () => {
      for (const { family } of kinds.kinds) expect(family).toMatch(/^[A-Za-z][\w.-]*$/)
    })

    test('explains an unknown kind and an unknown version', () => {
      const { kind, apiVersions } = kinds.kinds.find((one) => !one.apiVersions.includes(partApiVersion))!
      const [unknown, version] = [`${kind}Nonsense`, `${apiVersions[0]}-nonsense`]
      expect(kinds.kind(unknown, apiVersions[0]!)).toBeUndefined()
      expect(kinds.kind(kind, version)).toBe('version')
      for (const finding of [
        kinds.explainUnknownKind(unknown, apiVersions[0]!),
        kinds.explainUnknownKind(kind, version),
      ])
        expect(finding).toMatchObject({
          code: expect.stringMatching(codeForm) as string,
          message: expect.stringMatching(/\.$/) as string,
        })
    })

    test('lists each resource once, in the same order, page by page', async () => {
      await makeAll(opened)
      const whole = await connection.list({ limit: 500 }, never)
      expect(new Set(whole.map(place)).size).toBe(whole.length)
      expect(await connection.list({ limit: 500 }, never)).toEqual(whole)
      const paged: ListedResource[] = []
      for (let page = await connection.list({ limit: 2 }, never); page.length > 0;) {
        expect(page.length).toBeLessThanOrEqual(2)
        paged.push(...page)
        page = await connection.list({ limit: 2, after: place(page.at(-1)!) }, never)
      }
      expect(paged).toEqual(whole)
    })

    test('shows a second connection the same resources', async () => {
      await makeAll(opened)
      await using second = (await openTarget(world)).connection
      expect(await second.list({ limit: 500 }, never)).toEqual(await connection.list({ limit: 500 }, never))
    })

    test('keeps the systems of two targets apart', async () => {
      const { platform, other: target } = world
      await using other = (await openTarget({ platform, target })).connection
      const before = await other.list({ limit: 500 }, never)
      await makeAll(opened)
      expect(await other.list({ limit: 500 }, never)).toEqual(before)
    })

    test('does not count resources that gitmoor made among those that the target made itself', async () => {
      const before = (await connection.list({ limit: 500 }, never)).map(place)
      await makeAll(opened)
      const listed = await connection.list({ limit: 500 }, never)
      const ofTarget = world.platform.madeByTarget?.(listed) ?? new Set<string>()
      expect(listed.map(place).filter((one) => ofTarget.has(one) && !before.includes(one))).toEqual([])
    })
  })
}

const codeForm = /^[a-z][a-z0-9-]*\/[a-z][a-z0-9-]*$/

function isPositiveInteger(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0
}

function place({ family, observed }: ListedResource): string {
  return `${family}/${observed.identity}`
}
