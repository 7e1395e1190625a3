// A problem that an author can fix.
import { z } from '@hono/zod-openapi'
import { address } from './view.js'

const placeSchema = z.object({
  file: z.string(),
  index: z.int().openapi({ description: 'Of the document, counted over all files from 0.' }),
  pointer: z.string().openapi({ description: 'JSON Pointer in the document.' }),
  line: z.int(),
})

export const problemSchema = z
  .object({
    severity: z.enum(['error', 'warning']),
    code: z.string().openapi({ description: 'The area that found it, then the rule: `graph/cycle`.' }),
    message: z.string(),
    place: placeSchema.optional(),
    field: z.string().optional(),
    hint: z.string().optional().openapi({ description: 'What to do next.' }),
    kind: z.string().optional().openapi({ description: 'The written kind, if the document has no known kind.' }),
    more: z
      .int()
      .optional()
      .openapi({ description: 'The number of unlisted problems of its severity that it summarizes.' }),
    about: address.optional().openapi({
      description: 'The address that could not be changed, or whose change could not be undone: `Bucket/raw`.',
    }),
  })
  .openapi('Problem', { description: 'A problem that an author can fix, with its place.' })
