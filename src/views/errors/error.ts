// The one shape of every error.
import { z } from '@hono/zod-openapi'
import { refusedStatuses } from '../../model/errors.js'
import { fleetSchema } from '../fleet.js'
import { problemSchema } from './problem.js'
import { stackSchema } from '../stack.js'
import { list, type View } from '../view.js'

export const errorStatuses = [...refusedStatuses, 'invalid', 'unavailable', 'internal'] as const

/** Clients decide by it; the command line has an exit code for each. */
export type ErrorStatus = (typeof errorStatuses)[number]

export const errorBodySchema = z
  .object({
    status: z.enum(errorStatuses).describe('The class of the error, for programs.'),
    code: z.string().describe('The area that found it, then the rule: `source/ref-missing`.'),
    message: z.string().describe('One sentence for people.'),
    hint: z.string().optional().describe('What to do next: one step on each line.'),
    suggestion: z.string().optional().describe('The existing name of which the given one is probably a typo.'),
    problems: list(problemSchema).optional().describe('All problems of an invalid package or request.'),
    requestId: z
      .string()
      .optional()
      .describe('As in the header `X-Request-Id`, and in the log. Absent in an error within a successful answer.'),
  })
  .openapi('ErrorBody', { description: 'What went wrong, and what to do next. `status` decides, `code` is stable.' })

export type ErrorBody = View<typeof errorBodySchema>

export const errorAnswerSchema = z
  .object({ error: errorBodySchema })
  .openapi('Error', { description: 'The one shape of every error.' })

export const stackChangedSchema = z
  .object({ error: errorBodySchema, current: stackSchema })
  .openapi('StackChanged', { description: 'The error of `If-Match`, and the stack as it is now.' })

export const fleetChangedSchema = z
  .object({ error: errorBodySchema, current: fleetSchema })
  .openapi('FleetChanged', { description: 'The error of `If-Match`, and the fleet as it is now.' })
