// The worlds of test/e2e/world.ts on the embedded platform, with a parser of Flux.
import { embedded } from '../../src/influxdb/embedded/embedded.js'
import { EmbeddedPlatform } from '../../src/influxdb/embedded/embedded-platform.js'
import { FluxParser } from '../../src/influxdb/flux/flux-parser.js'
import type { FluxPort } from '../../src/influxdb/kinds/kinds.js'
import { useServedWorld as useServed, useWorld as use, type ServedWorld, type World } from '../e2e/world.js'
import type { WorldOptions } from '../e2e/world-configuration.js'
import type { PlatformUnderTest } from '../plain/under-test.js'
import { embeddedUnderTest } from './under-test.js'

export { never, World, type ServedWorld } from '../e2e/world.js'

const flux = new FluxParser()

/** One for all worlds: its thread takes longer to load its library than most tests take. */
const sharedFlux: FluxPort & Disposable = {
  inspect: (text) => flux.inspect(text),
  parse: (text) => flux.parse(text),
  print: (tree) => flux.print(tree),
  [Symbol.dispose]: () => {},
}

export const embeddedWithFlux: PlatformUnderTest = {
  ...embeddedUnderTest,
  description: embedded,
  open: (documents, secrets) => new EmbeddedPlatform(documents, { ...secrets, flux: sharedFlux }),
}

export function useWorld(options: WorldOptions = {}): () => World {
  return use(options, embeddedWithFlux)
}

export function useServedWorld(options: WorldOptions = {}): () => ServedWorld {
  return useServed(options, embeddedWithFlux)
}
