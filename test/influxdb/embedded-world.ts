// The worlds of test/e2e/world.ts on the embedded platform, with a parser of Flux.
import { embedded } from '../../src/influxdb/embedded/embedded.js'
import { EmbeddedPlatform } from '../../src/influxdb/embedded/embedded-platform.js'
import { useWorld, type World } from '../e2e/world.js'
import type { WorldOptions } from '../e2e/world-configuration.js'
import type { PlatformUnderTest } from '../plain/under-test.js'
import { sharedFlux } from './shared-flux.js'
import { embeddedUnderTest } from './under-test.js'

export const embeddedWithFlux: PlatformUnderTest = {
  ...embeddedUnderTest,
  description: embedded,
  open: (documents, secrets) => new EmbeddedPlatform(documents, { ...secrets, flux: sharedFlux }),
}

/** For tests of the embedded platform itself, whatever GITMOOR_TEST_PLATFORM is. */
export function useEmbeddedWorld(options: WorldOptions = {}): () => World {
  return useWorld(options, embeddedWithFlux)
}
