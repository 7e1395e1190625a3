// How the embedded platform stores secrets: those of its own store, and those of endpoints.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/model/address.js'
import { Secret, type JsonObject } from '../../../src/model/json.js'
import type { Observed } from '../../../src/model/resources/resource.js'
import { influxdbKinds } from '../../../src/influxdb/kinds/kinds.js'
import { EmbeddedPlatform } from '../../../src/influxdb/embedded/embedded-platform.js'
import type { Connection, Driver } from '../../../src/platform/platform.js'
import { Keyring } from '../../../src/secrets/keyring.js'
import type { SqliteStore } from '../../../src/store/sqlite/sqlite-store.js'
import { ManualClock } from '../../manual-clock.js'
import { openNewStore } from '../../new-data-directory.js'

const never = new AbortController().signal
const target = { name: 'local', platform: 'embedded', settings: { organisation: 'main' } }
const keyring = new Keyring(Buffer.alloc(32, 1))
const value = 'a-token-that-nobody-may-read'
const token = keyring.toSecret(value)

let directory: string
let store: SqliteStore
let connection: Connection
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-vault-'))
  store = openNewStore(join(directory, 'gitmoor.db'), new ManualClock())
  connection = await connect(keyring)
})
afterEach(() => {
  store[Symbol.dispose]()
  rmSync(directory, { recursive: true, force: true })
})

function connect(sealer: Keyring): Promise<Connection> {
  return new EmbeddedPlatform(store.documents, { sealer }).connect(target, never)
}

function driver(kind: string, of = connection): Driver {
  return of.driver(influxdbKinds.find((one) => one.kind === kind)!)
}

const slack = 'NotificationEndpointSlack'
const state = { name: 'slack', description: '', url: 'https://hooks.example.test/x', status: 'active', token }

function make(kind: string, what: JsonObject): Promise<Observed> {
  return driver(kind).create(what, driver(kind).trace(what), never)
}

async function readBack(kind: string, { identity }: Observed, of = connection): Promise<JsonObject | undefined> {
  const address = 'A/a' as Address
  return (await driver(kind, of).read([{ address, identity }], never)).get(address)?.actual
}

async function secretKeys(): Promise<readonly string[]> {
  const listed = await connection.list({ limit: 500 }, never)
  return listed.filter(({ family }) => family === 'Secret').map(({ observed }) => observed.identity)
}

describe('a secret', () => {
  test('is found by its key, with its value', async () => {
    const made = await make('Secret', { key: 'slack', value: token })
    expect(made.identity).toBe('slack')
    const found = (await readBack('Secret', made))!['value'] as Secret
    expect(found).toEqual(token)
    expect(found.reveal()).toBe(value)
  })

  test('is sealed: its value is nowhere in the database', async () => {
    await make('Secret', { key: 'slack', value: token })
    await make(slack, state)
    const files = Buffer.concat(['gitmoor.db', 'gitmoor.db-wal'].map((name) => readFileSync(join(directory, name))))
    expect(files.includes('slack')).toBe(true)
    expect(files.includes(value)).toBe(false)
  })

  test('that was sealed with another key has no value', async () => {
    const made = await make('Secret', { key: 'slack', value: token })
    const other = await connect(new Keyring(Buffer.alloc(32, 2)))
    expect(await readBack('Secret', made, other)).toEqual({ key: 'slack' })
  })
})

describe('the token of an endpoint', () => {
  test('is stored under the key that InfluxDB uses, and read back as the endpoint’s own', async () => {
    const made = await make(slack, state)
    expect(await readBack(slack, made)).toEqual(state)
    expect(await secretKeys()).toEqual([`${made.identity}-token`])
  })

  test('is concealed also if a person wrote it in plain text', async () => {
    const made = await make(slack, { ...state, token: value })
    expect(made.actual['token']).toEqual(token)
    const [listed] = (await connection.list({ limit: 500 }, never)).filter(
      ({ family }) => family === 'NotificationEndpoint',
    )
    expect(JSON.stringify(listed)).not.toContain(value)
  })

  test('is removed with the endpoint', async () => {
    const made = await make(slack, state)
    await driver(slack).remove(made, never)
    expect(await secretKeys()).toEqual([])
    expect(await readBack(slack, made)).toBeUndefined()
  })

  test('is removed when the endpoint refers to another secret', async () => {
    const made = await make(slack, state)
    const now = await driver(slack).update(made, { ...state, token: { secretRef: { key: 'other' } } }, never)
    expect(await readBack(slack, made)).toEqual(now.actual)
    expect(await secretKeys()).toEqual([])
  })

  test('stays if the endpoint refers to it by name, also without the endpoint', async () => {
    const made = await make(slack, state)
    const key = `${made.identity}-token`
    const now = await driver(slack).update(made, { ...state, token: { secretRef: { key } } }, never)
    expect((await readBack(slack, made))?.['token']).toEqual({ secretRef: { key } })
    expect(await secretKeys()).toEqual([key])
    await driver(slack).remove(now, never)
    expect(await secretKeys()).toEqual([key])
  })

  test('is restored if it was lost', async () => {
    const made = await make(slack, state)
    await store.documents.remove('main', 'Secret', `${made.identity}-token`)
    const { token: _token, ...rest } = state
    expect(await readBack(slack, made)).toEqual(rest)
    await driver(slack).update({ ...made, actual: rest }, state, never)
    expect(await readBack(slack, made)).toEqual(state)
  })
})
