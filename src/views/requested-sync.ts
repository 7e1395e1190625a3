// The request to sync several stacks: the run of each, or why it is refused.
import { z } from '@hono/zod-openapi'
import { errorBodySchema } from './error.js'
import { runRowSchema } from './run.js'
import { list, type View } from './view.js'

const requestedSyncSchema = z.union([
  z.object({ name: z.string(), run: runRowSchema }),
  z.object({ name: z.string(), error: errorBodySchema }),
])

export const requestedSyncsSchema = z.object({ items: list(requestedSyncSchema) })

export type RequestedSyncs = View<typeof requestedSyncsSchema>
export type RequestedSync = RequestedSyncs['items'][number]
