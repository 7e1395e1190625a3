import { z } from '@hono/zod-openapi'
import type { View } from './view.js'

/** A declared target. */
export const targetSchema = z
  .object({ name: z.string(), platform: z.string(), organisation: z.string() })
  .openapi('Target')

export type TargetView = View<typeof targetSchema>
