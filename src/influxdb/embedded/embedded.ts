// influxdb/embedded: a small InfluxDB-like system inside the agent, for trying out and for tests.
// Takes the settings of its targets; gives what is known of the platform before one is opened.
import { z } from 'zod'
import {
  explainInfluxdbKind,
  influxdbKinds,
  influxdbKindsWith,
  kindAmong,
  noContext,
  packageSchema,
} from '../kinds/kinds.js'
import { FluxParser } from '../flux/flux-parser.js'
import { strictObject } from '../../settings/schema/strict-object.js'
import type { PlatformDescription } from '../../platform/platform.js'

const settings = strictObject({
  organisation: z
    .string()
    .regex(/^[^\x00-\x1f\x7f]{1,100}$/, 'must be 1 to 100 characters, without control characters.')
    .default('main'),
  directWrites: z
    .boolean()
    .optional()
    .describe("Clients of InfluxDB's API may change resources themselves. Default: false."),
})

export const embedded: PlatformDescription = {
  name: 'embedded',
  version: 1,
  settings,
  families: [...new Set(influxdbKinds.map(({ family }) => family))].sort(),
  eventFamilies: { associated: ['Label', 'NotificationEndpoint'], unlisted: ['Secret'] },
  packageSchema,
  openKinds: () => {
    const flux = new FluxParser()
    return {
      kind: kindAmong(influxdbKindsWith({ ...noContext, flux })),
      explainUnknownKind: explainInfluxdbKind,
      [Symbol.dispose]: () => flux[Symbol.dispose](),
    }
  },
}
