// The results of one command for several stacks.
import { z } from '@hono/zod-openapi'
import { errorBodySchema } from './errors/error.js'
import { list, orNull, type View } from './view.js'

const bulkResultSchema = z
  .object({
    name: z.string().describe('The name of the stack.'),
    run: z.string().nullable().describe('The id of the run of a sync; null: it began none.'),
    error: orNull(errorBodySchema).describe('Why it was refused; null: it was done.'),
  })
  .openapi('BulkResult', { description: 'What one command for several stacks did with one of them.' })

export type BulkResult = View<typeof bulkResultSchema>

export const bulkSchema = z.object({ items: list(bulkResultSchema).describe('In the order of the names.') })
