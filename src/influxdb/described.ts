// What is known of InfluxDB's platforms before one is opened.
import type { PlatformDescription } from '../platform/platform.js'
import { influxdbServer } from './driver/driver.js'
import { embedded } from './embedded/embedded.js'

export const described: readonly PlatformDescription[] = [embedded, influxdbServer]
