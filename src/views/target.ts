import { z } from '@hono/zod-openapi'
import type { View } from './view.js'

/** A declared target. */
export const targetSchema = z
  .object({
    name: z.string().describe('As the configuration file declares it.'),
    platform: z.string().describe('The type of system: `embedded`, ….'),
    labels: z.record(z.string(), z.string()).describe('Words that select targets.'),
  })
  .catchall(z.unknown().describe('A setting of the platform, as the configuration file declares it.'))
  .openapi('Target', { description: 'A declared target, with the settings of its platform.' })

export type TargetView = View<typeof targetSchema>
