// A run: one attempt to bring a stack to a revision.
import { z } from '@hono/zod-openapi'
import { runBlockerReasons } from '../model/blocker.js'
import { countsSchema, planSchema } from './plan.js'
import { problemSchema } from './problem.js'
import { list, time, type View } from './view.js'
import { blockerShape } from './status.js'

export const phaseSchema = z.enum(['queued', 'fetching', 'planning', 'needs-approval', 'applying', 'undoing', 'done'])

export const outcomeSchema = z.enum([
  'applied',
  'unchanged',
  'needs-approval',
  'failed',
  'undone',
  'superseded',
  'cancelled',
  'interrupted',
])

const causeKinds = [
  'created',
  'commit',
  'tag-moved',
  'directory-changed',
  'url-changed',
  'schedule',
  'drift',
  'person',
  'retry',
  'recovery',
] as const

const causeSchema = z
  .object({
    kind: z.enum(causeKinds),
    ref: z.string().optional(),
    tag: z.string().optional().openapi({ description: 'The one that was chosen where `ref` is a range of versions.' }),
    from: z.string().optional(),
    to: z.string().optional(),
    by: z.string().optional(),
    note: z.string().optional(),
    requested: z
      .literal(true)
      .optional()
      .openapi({ description: 'A person asked for this run by name: it waits for no other stack.' }),
    overrode: z.string().optional().openapi({ description: 'What it did not wait for.' }),
    overrideWindow: z.string().optional().openapi({ description: 'Why it writes though a sync window is closed.' }),
    unattended: z
      .literal(true)
      .optional()
      .openapi({ description: 'No request waits for its end: it was approved while a window was closed.' }),
  })
  .openapi('Cause')

const runShape = {
  id: z.string(),
  revision: z.string(),
  cause: causeSchema,
  phase: phaseSchema,
  outcome: outcomeSchema.nullable(),
  createdAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  changes: countsSchema.nullable(),
}

export const runRowSchema = z.object(runShape).openapi('RunRow')

export type RunRow = View<typeof runRowSchema>

export const appliedSchema = z
  .object({
    ...runShape,
    already: z
      .literal(true)
      .optional()
      .openapi({ description: 'This run carried the plan out before; nothing was left to do.' }),
  })
  .openapi('AppliedRun')

export type AppliedRow = View<typeof appliedSchema>

export const runSchema = z
  .object({
    ...runShape,
    stack: z.string(),
    intent: z.enum(['sync', 'uninstall', 'delete', 'ownership']),
    blockers: list(z.object({ ...blockerShape, reason: z.enum(runBlockerReasons) })).openapi({
      description: 'Why it does not begin, while it is queued.',
    }),
    plan: planSchema.nullable(),
    problems: list(problemSchema),
  })
  .openapi('Run')

export type RunView = View<typeof runSchema>
