import { expect, test } from 'vitest'
import { influxdbKinds } from '../../../src/influxdb/kinds/kinds.js'
import type { Address, Identity } from '../../../src/model/address.js'
import type { DatedDocument, Documents } from '../../../src/platform/documents.js'
import { EmbeddedDriver } from '../../../src/influxdb/embedded/embedded-driver.js'
import { Vault } from '../../../src/influxdb/embedded/vault.js'
import { Keyring } from '../../../src/secrets/keyring.js'
import { roundsDuring, slow } from '../../rounds.js'

const labels = influxdbKinds.find(({ kind }) => kind === 'Label')!
const ids = Array.from({ length: 8 }, (_, i) => `${i}` as Identity)

/** A driver for labels, of which these documents exist. */
function driverOver(documents: readonly DatedDocument[]): EmbeddedDriver {
  const byIds = async () => new Map(documents.map((document, i) => [ids[i]!, document]))
  const stored = {
    byIds,
    byKeys: async () => new Map(),
  } as unknown as Documents
  const vault = new Vault(stored, 'main', new Keyring(new Uint8Array(32)))
  return new EmbeddedDriver({ documents: stored, space: 'main', vault }, labels)
}

test('reading many resources serves others between them, at each stage', async () => {
  const lookups = ids.map((identity) => ({
    address: `Label/${identity}` as Address,
    identity,
    key: identity,
  }))
  const document = {
    key: null,
    state: {},
    links: [],
    createdAt: null,
    updatedAt: null,
  }
  const found = driverOver(ids.map((id) => slow({ ...document, id }, 'state')))
  const slowKeys = lookups.map((lookup) => slow(lookup, 'key'))
  const slowAddresses = lookups.map((lookup) => slow(lookup, 'address'))
  const rounds = [
    await roundsDuring(driverOver([]).read(slowKeys)),
    await roundsDuring(driverOver([]).read(slowAddresses)),
    await roundsDuring(found.read(lookups)),
  ]
  expect(rounds.map((count, i) => count >= [2, 1, 1][i]! * ids.length)).toEqual([true, true, true])
  expect((await found.read(lookups)).size).toBe(ids.length)
})
