// The embedded platform for suites that run on any platform. Without a Flux parser: its thread takes longer to load
// than most tests take.
import { embedded } from '../../src/influxdb/embedded/embedded.js'
import { EmbeddedPlatform } from '../../src/influxdb/embedded/embedded-platform.js'
import type { PlatformUnderTest } from '../plain/under-test.js'

export const embeddedUnderTest: PlatformUnderTest = {
  apiVersion: 'influxdata.com/v2alpha1',
  description: embedded,
  settings: (organisation) => ({ organisation }),
  open: (documents, secrets) => new EmbeddedPlatform(documents, secrets),
}
