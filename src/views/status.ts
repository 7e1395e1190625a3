// The status of a stack in one word, and its blockers: why it does not go on by itself, and what to type.
import { z } from '@hono/zod-openapi'
import { states } from '../status/status.js'
import { problemSchema } from './problem.js'
import { list, time, type View } from './view.js'

const nextStepSchema = z
  .object({
    verb: z.string().openapi({ description: 'Of the command line; `edit`: a change outside of gitmoor.' }),
    args: z.record(z.string(), z.string()),
    cli: z.string().openapi({ description: "The command line to type; '' for an edit." }),
    purpose: z.string(),
  })
  .openapi('NextStep', { description: 'What a person can do next.' })

export const blockerShape = {
  reason: z.string(),
  message: z.string(),
  since: time.nullable(),
  until: time.nullable().openapi({ description: 'When it ends by itself.' }),
  next: list(nextStepSchema).openapi({ description: 'What ends it, the first choice first.' }),
}

export const blockerSchema = z
  .object(blockerShape)
  .openapi('Blocker', { description: 'Why something does not continue by itself, and what ends that.' })

export type BlockerView = View<typeof blockerSchema>

const { until: _until, ...statusShape } = blockerShape

export const statusSchema = z
  .object({
    state: z.enum(states).openapi({ description: 'The first of these that applies.' }),
    ...statusShape,
    also: list(z.string()).openapi({ description: 'Reasons of its other blockers: `MoveVetoed`, `Pinned`, …' }),
    warnings: list(problemSchema).openapi({
      description: 'Warnings of its last run. The last one counts those beyond 10 in `more`.',
    }),
  })
  .openapi('StackStatus', { description: 'The state of a stack in one word, with its reason.' })

export type StatusView = View<typeof statusSchema>
