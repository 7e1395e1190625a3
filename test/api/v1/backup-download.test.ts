// A backup that is taken away over a real socket, by one who takes nothing of it.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Backups } from '../../../src/agent/upkeep/backups.js'
import { serveApi, type RunningServer } from '../../../src/api/server/server.js'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.js'
import { until } from '../../e2e/until.js'
import { ManualClock } from '../../manual-clock.js'
import { fill } from '../../store/filled-store.js'
import { RawClient } from '../hostile/raw-client.js'
import { openDoor, sampleToken } from '../request-api.js'

const stallMs = 600
const pieceBytes = 2 * 1024 * 1024
const ask = `POST /api/v1/backup HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${sampleToken}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`

let data: string
let store: SqliteStore
let served: RunningServer

function serve(backupStallMs: number): Promise<RunningServer> {
  const { api } = openDoor({}, { backups: new Backups({ store, data, version: '0' }), backupStallMs })
  return serveApi(api, { host: '127.0.0.1', port: 0, graceMs: 100 })
}

beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'gitmoor-download-'))
  store = new SqliteStore(join(data, 'gitmoor.db'), new ManualClock())
  await fill(store, 0, 2)
  await store.documents.insert('main', 'Bucket', {
    id: 'large',
    key: 'large',
    state: { description: 'x'.repeat(16 * 1024 * 1024) },
    links: [],
  })
  served = await serve(stallMs)
})
afterEach(async () => {
  await served.close()
  store[Symbol.dispose]()
  rmSync(data, { recursive: true, force: true })
})

const drafts = (): readonly string[] => readdirSync(join(data, 'copies'))

test('who takes nothing of it is given up: the file goes, the connection is closed, and the next one has the place', async () => {
  mkdirSync(join(data, 'copies'))
  const stalled = (await RawClient.connect(served.url)).stopReading().write(ask)
  await until('the backup is made', () => drafts().length === 1)
  const refused = (await RawClient.connect(served.url)).write(ask)
  expect(await refused.closed()).toMatch(/^HTTP\/1\.1 423[^]*agent\/backup-in-progress/)
  await until('it is given up', () => drafts().length === 0)
  const next = (await RawClient.connect(served.url)).write(ask)
  const text = await next.closed()
  expect(text).toMatch(/^HTTP\/1\.1 200/)
  expect(text.length).toBeGreaterThan(16 * 1024 * 1024)
  expect((await stalled.resume().closed()).length).toBeLessThan(text.length)
})

test('who takes it slowly, but takes it, gets all of it', async () => {
  const headers = { Authorization: `Bearer ${sampleToken}`, 'Content-Type': 'application/json' }
  const answer = await fetch(`${served.url}/api/v1/backup`, { method: 'POST', headers, body: '{}' })
  const began = performance.now()
  let bytes = 0
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    const pieces = Math.floor(bytes / pieceBytes)
    bytes += chunk.length
    if (Math.floor(bytes / pieceBytes) > pieces) await new Promise((resolve) => setTimeout(resolve, stallMs / 4))
  }
  expect(String(bytes)).toBe(answer.headers.get('content-length'))
  expect(performance.now() - began).toBeGreaterThan(stallMs)
  await until('the file goes', () => drafts().length === 0)
})

test.each([
  ['while it is made', (): boolean => drafts().length === 0],
  ['while it is read', (): boolean => drafts().length === 1],
])('the place is free at once when the client leaves %s, and its file is removed', async (_, isThen) => {
  mkdirSync(join(data, 'copies'))
  await served.close()
  served = await serve(600_000)
  const client = (await RawClient.connect(served.url)).stopReading().write(ask)
  await until('the client can leave', isThen)
  client.destroy()
  await until('the place is free', async () => {
    const next = (await RawClient.connect(served.url)).write(ask)
    return (await next.closed()).startsWith('HTTP/1.1 200')
  })
  await until('the files are gone', () => drafts().length === 0)
})
