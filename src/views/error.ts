// The one shape of every error.
import { z } from '@hono/zod-openapi'
import { refusedStatuses } from '../model/errors.js'
import { fleetSchema } from './fleet.js'
import { problemSchema } from './problem.js'
import { stackSchema } from './stack.js'
import { list, type View } from './view.js'

export const errorStatuses = [...refusedStatuses, 'invalid', 'unavailable', 'internal'] as const

/** Clients decide by it; the command line has an exit code for each. */
export type ErrorStatus = (typeof errorStatuses)[number]

export const errorBodySchema = z.object({
  status: z.enum(errorStatuses).describe('The class of the error, for programs.'),
  code: z.string().describe('The area that found it, then the rule: `source/ref-missing`.'),
  message: z.string().describe('One sentence for people.'),
  hint: z.string().optional().describe('What to do next: one step on each line.'),
  suggestion: z.string().optional().describe('The existing name of which the given one is probably a typo.'),
  problems: list(problemSchema).optional().describe('All problems of an invalid package or request.'),
})

export type ErrorBody = View<typeof errorBodySchema>

const errorWithRequest = errorBodySchema.extend({
  requestId: z.string().describe('As in the header `X-Request-Id`, and in the log of the agent.'),
})

export const errorAnswerSchema = z
  .object({ error: errorWithRequest.describe('What went wrong, and what to do next.') })
  .openapi('Error', { description: 'The one shape of every error. `status` decides, `code` is stable.' })

export const stackChangedSchema = z
  .object({
    error: errorWithRequest.describe('Why the request was refused.'),
    current: z.union([stackSchema, fleetSchema]),
  })
  .openapi('StackChanged', { description: 'The error of `If-Match`, and the stack or the fleet as it is now.' })
