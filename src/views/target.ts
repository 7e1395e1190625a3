import { z } from '@hono/zod-openapi'
import type { View } from './view.js'

/** A declared target. */
export const targetSchema = z
  .object({ name: z.string(), platform: z.string(), organisation: z.string() })
  .openapi('Target', { description: 'A declared target.' })

export type TargetView = View<typeof targetSchema>
