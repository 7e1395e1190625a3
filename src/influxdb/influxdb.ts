// influxdb: all that only InfluxDB has: its kinds, the embedded platform, Flux, its HTTP API for packages.
// Takes the documents of the database and the key; gives a platform and routes. Only adapters.ts and platforms.ts name
// it: without this folder and its lines there the rest compiles.
import type { Documents } from '../platform/documents.js'
import type { Platform } from '../platform/platform.js'
import type { PlatformMeans } from '../platform/platform-means.js'
import { influxdbApi } from './api/api.js'
import { InfluxdbPlatform } from './driver/influxdb-platform.js'
import { EmbeddedPlatform } from './embedded/embedded-platform.js'
import { FluxParser } from './flux/flux-parser.js'

export const influxdb = {
  api: influxdbApi,
  open: (documents: Documents, means: PlatformMeans): readonly Platform[] => {
    const flux = new FluxParser()
    return [new EmbeddedPlatform(documents, { ...means, flux }), new InfluxdbPlatform(documents, { ...means, flux })]
  },
}
