// The worlds of test/e2e/world.ts for tests of InfluxDB's packages: on the embedded platform, or, if
// GITMOOR_TEST_PLATFORM is influxdb, over HTTP on another agent, or on the server of GITMOOR_TEST_INFLUX_URL.
import { TestRunner } from 'vitest'
import { useServedWorld as useServed, useWorld as use, type ServedWorld, type World } from '../e2e/world.js'
import type { WorldOptions } from '../e2e/world-configuration.js'
import type { PlatformUnderTest } from '../plain/under-test.js'
import { embeddedWithFlux } from './embedded-world.js'
import { useServer, type ServerPlatform } from './use-server.js'

export { never, World, type ServedWorld } from '../e2e/world.js'

/** The platform of all worlds: `embedded` or `influxdb`. */
const platform = process.env['GITMOOR_TEST_PLATFORM'] ?? 'embedded'
if (platform !== 'embedded' && platform !== 'influxdb')
  throw new Error(`GITMOOR_TEST_PLATFORM is ${platform}: it must be embedded or influxdb.`)

/** False: on a server, which never shows the value of a secret, so no undo restores one. */
export const isEmbedded = platform === 'embedded'

export function useWorld(options: WorldOptions = {}): () => World {
  return use(options, usePlatform())
}

export function useServedWorld(options: WorldOptions = {}): () => ServedWorld {
  return useServed(options, usePlatform())
}

function usePlatform(): PlatformUnderTest {
  return isEmbedded ? embeddedWithFlux : useServer()
}

/** Skips the test that runs unless its platform is the embedded one. Reports say why. */
export function onlyEmbedded(reason: string): void {
  if (!isEmbedded) skip(reason)
}

/** What the target `local` has, with the values of secrets. A server never shows them, so its own agent is asked. */
export function liveSecrets(world: World): ReturnType<World['live']> {
  if (isEmbedded) return world.live()
  const { agent } = world.on as ServerPlatform
  return agent === undefined ? skip('InfluxDB never shows the value of a secret.') : agent().live()
}

function skip(reason: string): never {
  return TestRunner.getCurrentTest()!.context.skip(reason)
}
