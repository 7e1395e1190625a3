// Servers with InfluxDB's resource API, over HTTP: another agent, whose target permits direct writes; and a real
// InfluxDB, if GITMOOR_TEST_INFLUX_URL, _TOKEN and _ORG name one.
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { serveApi, type RunningServer } from '../../src/api/server/server.js'
import { influxdbApi } from '../../src/influxdb/api/api.js'
import { useSharedWorld, type World } from '../e2e/world.js'
import { sampleToken, sharedApi } from '../shared-api.js'
import { embeddedWithFlux, useEmbeddedWorld } from './embedded-world.js'

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

const target = (organisation: string) => ({ platform: 'embedded', settings: { organisation, directWrites: true } })

/** A new agent for each test, whose organisations permit direct writes: `main`, `other`, and `more`. */
export function useServingAgent(more: readonly string[] = []): () => ServingAgent {
  const others = Object.fromEntries(['other', ...more].map((name) => [name, target(name)]))
  const world = useEmbeddedWorld({ changed: { targets: { local: target('main'), ...others } } })
  let served: RunningServer
  beforeEach(async () => {
    served = await serve(world())
  })
  afterEach(() => served.close())
  return () => ({ url: served.url, token: sampleToken, org: 'main', world: world() })
}

/** One agent for all tests of the group. The function gives it two new organisations, and their names. */
export function useOrganisations(): () => Promise<{
  readonly server: Pick<InfluxServer, 'url' | 'token'>
  readonly names: readonly [string, string]
}> {
  const world = useSharedWorld(undefined, { on: embeddedWithFlux })
  let served: RunningServer
  let made = 0
  beforeAll(async () => {
    served = await serve(world())
  })
  afterAll(() => served.close())
  return async () => {
    const names = [`organisation ${++made}`, `organisation ${++made}`] as const
    await world().reload({ changed: { targets: { local: target(names[0]), other: target(names[1]) } } })
    return { server: { url: served.url, token: sampleToken }, names }
  }
}

function serve({ call }: World): Promise<RunningServer> {
  return serveApi(sharedApi(call, influxdbApi), { host: '127.0.0.1', port: 0 })
}
