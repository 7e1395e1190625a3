// The platforms that files may name. adapters.ts opens them; commands that only check files load no more than this.
import { described } from './influxdb/described.js'
import type { PlatformDescription } from './platform/platform.js'

/** The target `local` is on the first one. */
export const platforms: readonly PlatformDescription[] = [...described]
