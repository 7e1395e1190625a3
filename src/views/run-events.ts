// When a run entered its phases, and the steps of its plan.
import { z } from '@hono/zod-openapi'
import { page } from './page.js'
import { address, list, time, type View } from './view.js'

export const runPhaseSchema = z.object({
  phase: z.enum(['queued', 'fetching', 'planning', 'applying', 'undoing']).describe('What the run did.'),
  at: time.nullable().describe('When it began: RFC 3339, UTC; null: not stored.'),
  endedAt: time.nullable().describe('When it ended: RFC 3339, UTC; null: it has not ended, or it is not stored.'),
})

export type RunPhaseView = View<typeof runPhaseSchema>

const runStepSchema = z
  .object({
    address,
    action: z.enum(['create', 'update', 'remove', 'untrack']).describe('What the plan does with the resource.'),
    state: z
      .enum(['done', 'in-progress', 'not-done', 'undone', 'unknown'])
      .describe('`unknown`: a later run changed what would show it.'),
    at: time.nullable().describe('When it was done: RFC 3339, UTC; null: it was not, or a later run changed it again.'),
  })
  .openapi('RunStep', { description: 'One change of the plan of a run.' })

export type RunStepView = View<typeof runStepSchema>

export const runEventsSchema = page(runStepSchema).extend({
  phases: list(runPhaseSchema).describe('The phases that it entered, in their order. A retry begins them again.'),
})

export type RunEvents = View<typeof runEventsSchema>
