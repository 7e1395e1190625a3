// The driver `influxdb` as the platform of a world, with a server that is new for each test.
import { afterEach, beforeEach } from 'vitest'
import { influxdbServer } from '../../src/influxdb/driver/driver.js'
import { embedded } from '../../src/influxdb/embedded/embedded.js'
import type { World } from '../e2e/world.js'
import type { PlatformUnderTest } from '../plain/under-test.js'
import { newOrganisation, realServer, type TestServer } from './driver/server.js'
import { serverUnderTest } from './driver/server-under-test.js'
import { useServingAgent } from './influx-servers.js'
import { embeddedUnderTest } from './under-test.js'

const spaces = ['main', 'other', 'third'] as const

interface EmptyServer {
  readonly server: TestServer
  /** The names of empty organisations, by space. */
  readonly organisations: Readonly<Record<(typeof spaces)[number], string>>
}

export interface ServerPlatform extends PlatformUnderTest {
  /** The agent that is the server. undefined: a real InfluxDB is. */
  readonly agent?: () => World
}

/**
 * The real server, if one is given, with organisations of its own for each test; else another agent. Under the name of
 * the embedded platform: InfluxDB's API, by which tests apply packages, serves no other.
 */
export function useServer(): ServerPlatform {
  const real = realServer()
  if (real !== undefined) return platformOn(useOrganisations(real))
  const serving = useServingAgent(['third'])
  const organisations = { main: 'main', other: 'other', third: 'third' }
  return { ...platformOn(() => ({ server: serving(), organisations })), agent: () => serving().world }
}

function platformOn(empty: () => EmptyServer): PlatformUnderTest {
  const on = (): PlatformUnderTest => serverUnderTest(empty().server, empty().organisations)
  return {
    apiVersion: embeddedUnderTest.apiVersion,
    description: { ...influxdbServer, name: embedded.name },
    settings: (space) => on().settings(space),
    open: (documents, secrets) => on().open(documents, secrets),
  }
}

function useOrganisations(server: TestServer): () => EmptyServer {
  let made: Awaited<ReturnType<typeof newOrganisation>>[]
  beforeEach(async () => {
    made = await Promise.all(spaces.map(() => newOrganisation(server)))
  })
  afterEach(async () => {
    for (const { remove } of made) await remove()
  })
  return () => {
    const [main, other, third] = made.map(({ name }) => name)
    return { server, organisations: { main: main!, other: other!, third: third! } }
  }
}
