// Problems: with a place that an author can fix, and without.
import { z } from '@hono/zod-openapi'
import { address } from '../view.js'

const placeSchema = z.object({
  file: z.string().describe('Path of the file below the root of the package.'),
  index: z.int().describe('Of the document, counted over all files from 0.'),
  pointer: z.string().describe('JSON Pointer in the document.'),
  line: z.int().describe('In the file, from 1.'),
})

export const findingSchema = z
  .object({
    code: z.string().describe('The area that found it, then the rule: `platform/target-missing`.'),
    message: z.string().describe('One sentence for people.'),
    hint: z.string().optional().describe('What to do next.'),
  })
  .openapi('Finding', { description: 'A problem without a place.' })

export const problemSchema = z
  .object({
    severity: z.enum(['error', 'warning']).describe('An error stops the package or the request; a warning does not.'),
    code: z.string().describe('The area that found it, then the rule: `graph/cycle`.'),
    message: z.string().describe('One sentence for people.'),
    place: placeSchema.optional().describe('Where it is in the package.'),
    field: z.string().optional().describe('The field that has it: `spec.charts[0].name`.'),
    hint: z.string().optional().describe('What to do next.'),
    kind: z.string().optional().describe('The written kind, if the document has no known kind.'),
    more: z.int().optional().describe('The number of unlisted problems of its severity that it summarizes.'),
    stack: z.string().optional().describe('The stack of the configuration file or of a fleet that it is about.'),
    about: address
      .optional()
      .describe('The address that could not be changed, or whose change could not be undone: `Bucket/raw`.'),
  })
  .openapi('Problem', { description: 'A problem that an author can fix, with its place.' })
