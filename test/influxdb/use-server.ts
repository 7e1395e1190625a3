// The driver `influxdb` as the platform of a world, with a server that is new for each test.
import { afterEach, beforeEach } from 'vitest'
import { influxdbServer } from '../../src/influxdb/driver/driver.js'
import type { PlatformUnderTest } from '../plain/under-test.js'
import { newOrganisation, realServer, type TestServer } from './driver/server.js'
import { serverUnderTest } from './driver/server-under-test.js'
import { useServingAgent } from './influx-servers.js'
import { embeddedUnderTest } from './under-test.js'

/** A server with two empty organisations, by space. */
interface EmptyServer {
  readonly server: TestServer
  readonly organisations: { readonly main: string; readonly other: string }
}

/** The real server, if one is given, with organisations of its own for each test; else another agent. */
export function useServer(): PlatformUnderTest {
  const real = realServer()
  const empty = real === undefined ? useAgent() : useOrganisations(real)
  const on = (): PlatformUnderTest => serverUnderTest(empty().server, empty().organisations)
  return {
    apiVersion: embeddedUnderTest.apiVersion,
    description: influxdbServer,
    settings: (space) => on().settings(space),
    open: (documents, secrets) => on().open(documents, secrets),
  }
}

function useAgent(): () => EmptyServer {
  const server = useServingAgent()
  return () => ({ server: server(), organisations: { main: 'main', other: 'other' } })
}

function useOrganisations(server: TestServer): () => EmptyServer {
  let made: Awaited<ReturnType<typeof newOrganisation>>[]
  beforeEach(async () => {
    made = [await newOrganisation(server), await newOrganisation(server)]
  })
  afterEach(async () => {
    for (const { remove } of made) await remove()
  })
  return () => ({ server, organisations: { main: made[0]!.name, other: made[1]!.name } })
}
