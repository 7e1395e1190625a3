// A run: one attempt to bring a stack to a revision.
import { z } from '@hono/zod-openapi'
import { runBlockerReasons } from '../model/blocker.js'
import { revisionDecisions } from '../model/change.js'
import { directions } from '../model/channel.js'
import { causeKinds, outcomes, phases } from '../model/run.js'
import { countsSchema, planSchema } from './plan.js'
import { problemSchema } from './problem.js'
import { list, orNull, time, versions, type View } from './view.js'
import { blockerShape } from './status.js'

export const phaseSchema = z.enum(phases)

export const outcomeSchema = z.enum(outcomes)

const causeSchema = z
  .object({
    kind: z.enum(causeKinds),
    ref: z.string().optional(),
    tag: z.string().optional().openapi({ description: 'The chosen tag, if `ref` is a version range.' }),
    from: z.string().optional(),
    to: z.string().optional(),
    direction: z
      .enum(directions)
      .optional()
      .openapi({ description: 'Of a moved ref: `direction` of the channel move. Absent: not read yet.' }),
    by: z.string().optional(),
    note: z.string().optional(),
    decision: z
      .enum(revisionDecisions)
      .optional()
      .openapi({ description: 'The decision of a person that moves the stack to the revision.' }),
    requested: z
      .literal(true)
      .optional()
      .openapi({ description: 'A person requested this run. It overrides dependencies, unless `awaitsDependencies`.' }),
    awaitsDependencies: z
      .literal(true)
      .optional()
      .openapi({ description: 'Requested together with other stacks: it waits for those that its stack depends on.' }),
    overrode: z.string().optional().openapi({ description: 'The blocker that it overrode.' }),
    overrideWindow: z.string().optional().openapi({ description: 'Why it may write during a closed sync window.' }),
    overrodeWindow: z
      .literal(true)
      .optional()
      .openapi({ description: 'A sync window was closed when it went on to write.' }),
    unattended: z
      .literal(true)
      .optional()
      .openapi({ description: 'No request waits for its end: it was approved while a window was closed.' }),
  })
  .openapi('Cause', { description: 'Why a run was queued.' })

const runShape = {
  id: z.string(),
  revision: z.string(),
  versions,
  cause: causeSchema,
  phase: phaseSchema,
  outcome: outcomeSchema.nullable(),
  createdAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  changes: orNull(countsSchema),
  firstError: z.string().nullable().openapi({ description: 'Its first error, with its file and line.' }),
}

export const runRowSchema = z
  .object(runShape)
  .openapi('RunRow', { description: 'A run in a list: without `plan` and `problems`.' })

export type RunRow = View<typeof runRowSchema>

export const stackRunRowSchema = z
  .object({ ...runShape, stack: z.string() })
  .openapi('StackRunRow', { description: 'A run in a list of several stacks: without `plan` and `problems`.' })

export type StackRunRow = View<typeof stackRunRowSchema>

export const appliedSchema = z
  .object({
    ...runShape,
    already: z
      .literal(true)
      .optional()
      .openapi({ description: 'This run applied the plan before, or it was queued by an earlier approval.' }),
  })
  .openapi('AppliedRun', { description: 'The run that applies a plan.' })

export type AppliedRow = View<typeof appliedSchema>

export const taggedRunSchema = z
  .object({
    ...runShape,
    etag: z.string().openapi({ description: 'The tag of the changed stack, for `If-Match`.' }),
  })
  .openapi('TaggedRun', { description: 'The run that a rollback or a push began.' })

export type TaggedRun = View<typeof taggedRunSchema>

const runBlockerSchema = z.object({
  ...blockerShape,
  reason: z.enum(runBlockerReasons),
  stalled: z.literal(true).optional().openapi({
    description: 'Of `Dependencies`: one of these stacks failed, is blocked or is suspended.',
  }),
})

export const runSchema = z
  .object({
    ...runShape,
    stack: z.string(),
    intent: z.enum(['sync', 'uninstall', 'delete', 'ownership']),
    blockers: list(runBlockerSchema).openapi({
      description: 'Why it does not start while it is queued.',
    }),
    plan: orNull(planSchema),
    problems: list(problemSchema),
  })
  .openapi('Run', { description: 'One attempt to bring a stack to a revision.' })

export type RunView = View<typeof runSchema>
