// The status of a stack in one word, and its blockers: why it does not go on by itself, and what to type.
import { z } from '@hono/zod-openapi'
import { states } from '../status/status.js'
import { problemSchema } from './errors/problem.js'
import { list, time, type View } from './view.js'

const nextStepSchema = z
  .object({
    verb: z.string().describe('Of the command line; `edit`: a change outside of gitmoor.'),
    args: z.record(z.string(), z.string()).describe('The arguments of the verb, by their names.'),
    cli: z.string().describe('The command line to type; "" for an edit.'),
    purpose: z.string().describe('What the step achieves.'),
  })
  .openapi('NextStep', { description: 'What a person can do next.' })

export const blockerShape = {
  reason: z.string().describe('One word for programs: `Window`, `NeedsApproval`, ….'),
  message: z.string().describe('One sentence for people.'),
  since: time.nullable(),
  until: time.nullable().describe('When it ends by itself.'),
  next: list(nextStepSchema).describe('What ends it, the first choice first.'),
}

export const blockerSchema = z
  .object(blockerShape)
  .openapi('Blocker', { description: 'Why something does not continue by itself, and what ends that.' })

export type BlockerView = View<typeof blockerSchema>

const { until: _until, ...statusShape } = blockerShape

export const statusSchema = z
  .object({
    state: z.enum(states).describe('The first of these that applies.'),
    ...statusShape,
    lagMs: z.int().describe('How long its desired revision has not been applied, in milliseconds; 0: it is applied.'),
    also: list(z.string()).describe('Reasons of its other blockers: `MoveVetoed`, `Pinned`, …'),
    warnings: list(problemSchema).describe('Warnings of its last run. The last one counts those beyond 10 in `more`.'),
  })
  .openapi('StackStatus', { description: 'The state of a stack in one word, with its reason.' })

export type StatusView = View<typeof statusSchema>
