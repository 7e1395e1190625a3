// A real InfluxDB server for tests: GITMOOR_TEST_INFLUX_URL, …_TOKEN (an operator token) and …_ORG name it.
import { HttpClient } from '../../../src/source/network/http-client.js'
import { sendWhole } from '../../../src/source/network/whole-request.js'
import { InfluxdbPlatform } from '../../../src/influxdb/driver/influxdb-platform.js'
import { settings as settingsOf } from '../../../src/influxdb/driver/driver.js'
import { systemClock } from '../../../src/lib/clock.js'
import type { JsonObject } from '../../../src/model/json.js'
import type { Documents } from '../../../src/platform/documents.js'
import type { PlatformMeans } from '../../../src/platform/platform-means.js'
import type { Target } from '../../../src/platform/platform.js'
import { Keyring } from '../../../src/secrets/keyring.js'
import { Redactor } from '../../../src/secrets/redact/redact.js'

export interface TestServer {
  readonly url: string
  readonly token: string
}

/** undefined: none is given, so tests of it are skipped. */
export function realServer(): TestServer | undefined {
  const { GITMOOR_TEST_INFLUX_URL: url, GITMOOR_TEST_INFLUX_TOKEN: token } = process.env
  return url === undefined || token === undefined ? undefined : { url, token }
}

/** The answer of the server, with its status. */
export async function ask(
  { url, token }: TestServer,
  method: string,
  path: string,
  body?: JsonObject,
): Promise<{ readonly status: number; readonly body: any }> {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Token ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
}

let made = 0

/** A new organisation, removed by `remove`. */
export async function newOrganisation(
  server: TestServer,
): Promise<{ readonly name: string; readonly id: string; readonly remove: () => Promise<void> }> {
  const name = `gitmoor-${process.pid}-${Date.now().toString(36)}-${++made}`
  const { body } = await ask(server, 'POST', '/api/v2/orgs', { name })
  const { id } = body as { id: string }
  return {
    name,
    id,
    remove: async () => {
      await ask(server, 'DELETE', `/api/v2/orgs/${id}`)
    },
  }
}

/** The platform, with a client of its own. */
export function openInfluxdb(
  documents: Documents,
  { token }: TestServer,
): { readonly platform: InfluxdbPlatform; readonly close: () => Promise<void> } {
  const lookup = { directory: '.', environment: () => undefined }
  const client = new HttpClient({ entries: [], networks: [], proxies: {}, lookup, redactor: new Redactor() })
  const means: PlatformMeans = {
    sealer: new Keyring(new Uint8Array(32)),
    send: (request, signal) => sendWhole(client, request, signal),
    secretValue: () => token,
    clock: systemClock,
  }
  return { platform: new InfluxdbPlatform(documents, means), close: () => client[Symbol.asyncDispose]() }
}

export function targetOf(name: string, { url }: TestServer, organisation: string): Target {
  const settings = settingsOf.parse({ url, organisation, token: '${env:INFLUX_TOKEN}' }) as unknown as JsonObject
  return { name, platform: 'influxdb', settings }
}
