// The platforms that the configuration of tests may name.
import { embedded } from '../src/platform/embedded/embedded.js'
import type { PlatformDescription } from '../src/platform/platform.js'

export const platforms: readonly PlatformDescription[] = [embedded]
