import { expect, test } from 'vitest'
import type { Identity } from '../../src/model/address.js'
import { Secret, type JsonObject } from '../../src/model/json.js'
import { openSnapshot, sealSnapshot } from '../../src/engine/snapshot.js'
import { Keyring } from '../../src/secrets/keyring.js'

const keyring = new Keyring(Buffer.alloc(32, 3))
const identity = 'one' as Identity
const roundTrip = (actual: JsonObject): JsonObject =>
  openSnapshot(sealSnapshot({ identity, actual }, keyring), keyring).actual

test('secrets are restored as secrets at any depth', () => {
  const actual = { token: keyring.toSecret('a'), more: [{ 'a.b/c': keyring.toSecret('b') }, 'plain'], name: 'x' }
  const back = roundTrip(actual)
  expect(back).toEqual(actual)
  expect((back['token'] as Secret).reveal()).toBe('a')
  expect((back['more'] as unknown as readonly { 'a.b/c': Secret }[])[0]!['a.b/c'].reveal()).toBe('b')
})

test('a single secret is restored as a secret', () => {
  expect((roundTrip({ token: keyring.toSecret('a') })['token'] as Secret).reveal()).toBe('a')
})

test('a text that resembles a printed secret stays a text, and a field named `secrets` stays a field', () => {
  const actual = { token: keyring.toSecret('a').toString(), secrets: [{ at: ['token'], value: 'x', fingerprint: 'y' }] }
  expect(roundTrip(actual)).toEqual(actual)
})

test('a snapshot of an older version, with `live` and without secrets, can be opened', () => {
  const before = keyring.seal(JSON.stringify({ identity, live: { name: 'x' } }))
  expect(openSnapshot(before, keyring)).toEqual({ identity, actual: { name: 'x' } })
})
