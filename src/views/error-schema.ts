import { z } from '@hono/zod-openapi'
import { list } from './list-schema.js'

const placeSchema = z.object({ file: z.string(), index: z.int(), pointer: z.string(), line: z.int() })

export const problemSchema = z
  .object({
    severity: z.enum(['error', 'warning']),
    code: z.string().openapi({ description: 'The room that found it, then what: `graph/cycle`.' }),
    message: z.string(),
    place: placeSchema.optional(),
    field: z.string().optional(),
    hint: z.string().optional().openapi({ description: 'What to do next.' }),
    kind: z
      .string()
      .optional()
      .openapi({ description: 'The kind that is written there, where no document came of it.' }),
    more: z
      .int()
      .optional()
      .openapi({ description: 'It stands for so many others of its severity, which are not listed.' }),
    about: z.string().optional().openapi({ description: 'What could not be done, or undone: `Bucket/raw`.' }),
  })
  .openapi('Problem')

export const errorStatuses = [
  'usage',
  'auth',
  'source',
  'target',
  'held',
  'stale',
  'not-found',
  'locked',
  'timeout',
  'cancelled',
  'conflict',
  'failed',
  'invalid',
  'unavailable',
  'internal',
] as const

/** The one shape of every error. */
export const errorAnswerSchema = z
  .object({
    error: z.object({
      status: z.enum(errorStatuses),
      code: z.string(),
      message: z.string(),
      hint: z.string().optional(),
      problems: list(problemSchema).optional(),
      requestId: z
        .string()
        .openapi({ description: 'As in `X-Request-Id` of the answer, and in the log of the agent.' }),
    }),
  })
  .openapi('Error')
