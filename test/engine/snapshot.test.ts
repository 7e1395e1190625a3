import { expect, test } from 'vitest'
import type { Identity } from '../../src/model/address.js'
import { Secret, type JsonObject } from '../../src/model/json.js'
import { openSnapshot, sealSnapshot } from '../../src/engine/snapshot.js'
import { Keyring } from '../../src/secrets/key.js'

const keyring = new Keyring(Buffer.alloc(32, 3))
const identity = 'one' as Identity
const roundTrip = (live: JsonObject): JsonObject =>
  openSnapshot(sealSnapshot({ identity, live }, keyring), keyring).live

test('secrets come back as secrets, wherever they stand', () => {
  const live = { token: keyring.conceal('a'), more: [{ 'a.b/c': keyring.conceal('b') }, 'plain'], name: 'x' }
  const back = roundTrip(live)
  expect(back).toEqual(live)
  expect((back['token'] as Secret).reveal()).toBe('a')
  expect((back['more'] as unknown as readonly { 'a.b/c': Secret }[])[0]!['a.b/c'].reveal()).toBe('b')
})

test('a text that looks like a printed secret stays a text, and a field named secrets a field', () => {
  const live = { token: keyring.conceal('a').toString(), secrets: [{ at: ['token'], value: 'x', fingerprint: 'y' }] }
  expect(roundTrip(live)).toEqual(live)
})

test('one that was sealed before secrets were kept is read', () => {
  const before = keyring.seal(JSON.stringify({ identity, live: { name: 'x' } }))
  expect(openSnapshot(before, keyring)).toEqual({ identity, live: { name: 'x' } })
})
