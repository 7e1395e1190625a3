// The request to sync several stacks: the run of each, or why it is refused.
import { z } from '@hono/zod-openapi'
import { errorBodySchema } from './errors/error.js'
import { runRowSchema } from './run.js'
import { list, type View } from './view.js'

const requestedSyncSchema = z
  .union([
    z.object({ name: z.string().describe('The name of the stack.'), run: runRowSchema.describe('The queued run.') }),
    z.object({
      name: z.string().describe('The name of the stack.'),
      error: errorBodySchema.describe('Why it is refused.'),
    }),
  ])
  .openapi('RequestedSync', { description: 'The sync of one of several stacks: its run, or why there is none.' })

export const requestedSyncsSchema = z.object({ items: list(requestedSyncSchema).describe('One entry for each stack.') })

export type RequestedSyncs = View<typeof requestedSyncsSchema>
export type RequestedSync = RequestedSyncs['items'][number]
