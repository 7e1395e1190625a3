import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { IdentityMap } from '../../src/engine/identity-map.js'
import type { JournalEntry } from '../../src/engine/journal.js'
import { Rejected } from '../../src/model/errors.js'
import type { JsonObject } from '../../src/model/json.js'
import type { Owned } from '../../src/model/resources/resource.js'
import { Keyring } from '../../src/secrets/keyring.js'
import { at, idOf } from '../plan/scenario.js'

const sealer = new Keyring(randomBytes(32))
const [old, now, other] = [idOf(1), idOf(2), idOf(3)]

function entry(address: string, identity: string, live: JsonObject, ownedBefore: readonly Owned[] = []): JournalEntry {
  const change = {
    address: at(address),
    kind: 'Label',
    action: 'remove',
    fields: [],
    reason: 'dropped',
    needs: [],
    after: [],
  } as const
  return {
    id: 1,
    run: '1',
    change,
    state: 'done',
    before: sealer.seal(JSON.stringify({ identity, actual: live })),
    ownedBefore,
  }
}

const record = (identity: string, applied: JsonObject): Owned => ({
  address: at('Mapping/a'),
  kind: 'Mapping',
  identity: identity as Owned['identity'],
  applied,
  needs: [],
  adopted: false,
})

const live = { id: old, list: [old, { deep: old }, 7], text: `${old}!`, none: null }

test('keeps identities until a resource is recreated', () => {
  const became = new IdentityMap(sealer)
  became.add(entry('Label/red', old, {}), old)
  expect(became.current(old)).toBe(old)
  expect(became.current(undefined)).toBeUndefined()
  expect(became.snapshotBefore(entry('Mapping/a', other, live))).toEqual({ identity: other, actual: live })
})

test('replaces old identities at any depth, but not inside longer texts', () => {
  const became = new IdentityMap(sealer)
  became.add(entry('Label/red', old, {}), now)
  const relinked = { id: now, list: [now, { deep: now }, 7], text: `${old}!`, none: null }
  expect(became.current(old)).toBe(now)
  expect(became.snapshotBefore(entry('Mapping/a', other, live))).toEqual({ identity: other, actual: relinked })
  expect(became.ownership(entry('Mapping/a', other, live, [record(old, live)]), undefined)).toEqual([
    record(now, relinked),
  ])
})

test('updates the ownership of the recreated resource, and no other', () => {
  const became = new IdentityMap(sealer)
  const step = entry('Label/red', old, {}, [record(old, {}), record(other, {})])
  expect(became.ownership(step, now).map(({ identity }) => identity)).toEqual([now, other])
})

test('maps no identity if the resource did not exist before, or does not exist now', () => {
  const became = new IdentityMap(sealer)
  const { before: _before, ...created } = entry('Label/red', old, {})
  became.add(created, now)
  became.add(entry('Label/red', old, {}), undefined)
  expect(became.current(old)).toBe(old)
  expect(became.snapshotBefore(created)).toBeUndefined()
})

test('takes the former identity from ownership if the key of the snapshot was lost', () => {
  const became = new IdentityMap(new Keyring(randomBytes(32)))
  const step = entry('Mapping/a', old, {}, [record(old, {}), { ...record(other, {}), address: at('Mapping/b') }])
  expect(became.ownership(step, now).map(({ identity }) => identity)).toEqual([now, other])
  expect(() => became.snapshotBefore(step)).toThrow(Rejected)
  const moved = { ...step, change: { ...step.change, address: at('Mapping/c'), from: at('Mapping/b') } }
  became.add(moved, now)
  expect([became.current(other), became.current(old)]).toEqual([now, old])
})

test('keeps identities if the key of the snapshot was lost and nothing was owned', () => {
  const became = new IdentityMap(new Keyring(randomBytes(32)))
  became.add(entry('Label/red', old, {}), now)
  expect(became.current(old)).toBe(old)
})

test('throws for an invalid snapshot, which is not a lost key', () => {
  const step = { ...entry('Mapping/a', old, {}), before: sealer.seal('no snapshot') }
  expect(() => new IdentityMap(sealer).add(step, now)).toThrow(SyntaxError)
})
