// Servers with InfluxDB's resource API, over HTTP: another agent, whose target permits direct writes; and a real
// InfluxDB, if GITMOOR_TEST_INFLUX_URL, _TOKEN and _ORG name one.
import { afterEach, beforeEach, describe } from 'vitest'
import { createApi } from '../../src/api/api.js'
import { digestToken } from '../../src/api/server/access.js'
import { serveApi, type RunningServer } from '../../src/api/server/server.js'
import { influxdbApi } from '../../src/influxdb/api/api.js'
import { sampleToken } from '../api/request-api.js'
import type { World } from '../e2e/world.js'
import { useEmbeddedWorld } from './embedded-world.js'

/** `org`: the name of the organisation to use. */
export interface InfluxServer {
  readonly url: string
  readonly token: string
  readonly org: string
}

const {
  GITMOOR_TEST_INFLUX_URL: url,
  GITMOOR_TEST_INFLUX_TOKEN: token = '',
  GITMOOR_TEST_INFLUX_ORG: org = '',
} = process.env
if (url === undefined) console.log('GITMOOR_TEST_INFLUX_URL is not set: tests with a real InfluxDB are skipped.')

/** Defines the tests once for each server. */
export function describeInfluxServers(define: (server: () => InfluxServer) => void): void {
  describe('another agent', () => define(useServingAgent()))
  describe.skipIf(url === undefined)('a real InfluxDB', () => define(() => ({ url: url!, token, org })))
}

export interface ServingAgent extends InfluxServer {
  /** Its targets are `local`, the organisation main, and one for each of the other organisations, by its name. */
  readonly world: World
}

/** A new agent for each test, whose organisations permit direct writes: `main`, `other`, and `more`. */
export function useServingAgent(more: readonly string[] = []): () => ServingAgent {
  const target = (organisation: string) => ({ platform: 'embedded', settings: { organisation, directWrites: true } })
  const others = Object.fromEntries(['other', ...more].map((name) => [name, target(name)]))
  const world = useEmbeddedWorld({ changed: { targets: { local: target('main'), ...others } } })
  let served: RunningServer
  beforeEach(async () => {
    const known = { tokenDigest: digestToken(sampleToken), hosts: [], version: '0.0.0-test' }
    const api = createApi({ call: world().call, ...known, extensions: [influxdbApi] })
    served = await serveApi(api, { host: '127.0.0.1', port: 0 })
  })
  afterEach(() => served.close())
  return () => ({ url: served.url, token: sampleToken, org: 'main', world: world() })
}
