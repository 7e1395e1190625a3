// A run: one attempt to bring a stack to a revision.
import { z } from '@hono/zod-openapi'
import { runBlockerReasons } from '../model/stacks/blocker.js'
import { revisionDecisions } from '../model/resources/change.js'
import { directions } from '../model/sources/channel.js'
import { causeKinds, outcomes, phases } from '../model/stacks/run.js'
import { page } from './page.js'
import { changeSchema, countsSchema, fieldChangeSchema, planSchema } from './plan.js'
import { problemSchema } from './errors/problem.js'
import { runPhaseSchema } from './run-events.js'
import { list, orNull, time, versions, type View } from './view.js'
import { blockerShape } from './status.js'

export const phaseSchema = z.enum(phases).describe('How far the run is.')

export const outcomeSchema = z.enum(outcomes)

const causeSchema = z
  .object({
    kind: z.enum(causeKinds).describe('What happened: a new commit, drift, a request, ….'),
    ref: z.string().optional().describe('The ref that moved.'),
    tag: z.string().optional().describe('The chosen tag, if `ref` is a version range.'),
    from: z.string().optional().describe('The revision before the move.'),
    to: z.string().optional().describe('The revision after the move.'),
    direction: z
      .enum(directions)
      .optional()
      .describe('Of a moved ref: `direction` of the channel move. Absent: not read yet.'),
    by: z.string().optional().describe('The person or program that requested it, or promoted the tag.'),
    note: z.string().optional().describe('The purpose in words: `rollback to run 12`, or the reason of the promotion.'),
    decision: z
      .enum(revisionDecisions)
      .optional()
      .describe('The decision of a person that moves the stack to the revision.'),
    requested: z
      .literal(true)
      .optional()
      .describe('A person requested this run. It overrides dependencies, unless `awaitsDependencies`.'),
    awaitsDependencies: z
      .literal(true)
      .optional()
      .describe('Requested together with other stacks: it waits for those that its stack depends on.'),
    overrode: z.string().optional().describe('The blocker that it overrode.'),
    overrideWindow: z.string().optional().describe('Why it may write during a closed sync window.'),
    overrodeWindow: z.literal(true).optional().describe('A sync window was closed when it went on to write.'),
    unattended: z
      .literal(true)
      .optional()
      .describe('No request waits for its end: it was approved while a window was closed.'),
  })
  .openapi('Cause', { description: 'Why a run was queued.' })

const vetoSchema = z
  .object({
    move: z.string().describe('The number of the vetoed move.'),
    by: z.string().describe('The person or program that vetoed it.'),
    why: z.string().describe('The reason that was given.'),
  })
  .openapi('RunVeto', { description: 'The veto of a commit that a run has as its revision.' })

export type RunVeto = View<typeof vetoSchema>

const runShape = {
  id: z.string().describe('Decimal; a later run has a greater one.'),
  revision: z.string().describe('What it applies: a commit or a digest for each source.'),
  versions,
  veto: vetoSchema.optional().describe('Somebody vetoed its commit: of runs in lists, by id, and of a rollback.'),
  cause: causeSchema,
  phase: phaseSchema,
  outcome: outcomeSchema.nullable().describe('How it ended; null: it has not ended.'),
  approval: z
    .enum(['cancelled', 'superseded'])
    .optional()
    .describe(
      'Its plan needed approval, and no longer awaits it: somebody cancelled it, or a newer run superseded it.',
    ),
  createdAt: time.describe('When it was queued: RFC 3339, UTC.'),
  startedAt: time.nullable().describe('RFC 3339, UTC; null: it waits.'),
  finishedAt: time.nullable().describe('RFC 3339, UTC; null: it has not ended.'),
  changes: orNull(countsSchema).describe('The numbers of its plan; null: it has no plan.'),
  firstError: z.string().nullable().describe('Its first error, with its file and line, and the number of others.'),
}

export const runRowSchema = z
  .object(runShape)
  .openapi('RunRow', { description: 'A run in a list: without `plan` and `problems`.' })

export type RunRow = View<typeof runRowSchema>

const deletionShape = {
  id: z.string().describe('The id that the stack had.'),
  by: z.string().describe('The person or program that deleted it.'),
  at: time,
}

const deletionSchema = z.object(deletionShape).openapi('StackDeletion', { description: 'When a stack was deleted.' })

export const deletedStackSchema = z
  .object({
    ...deletionShape,
    seq: z.string().describe('Decimal; a later deletion has a greater one.'),
    name: z.string().describe('The name of the stack.'),
    target: z.string().describe('Its target.'),
  })
  .openapi('DeletedStack', { description: 'A stack that was deleted.' })

export type DeletedStackView = View<typeof deletedStackSchema>

export const runPageSchema = page(runRowSchema).extend({
  deleted: deletionSchema.optional().describe('The stack was deleted; its newest runs are kept.'),
})

export type RunPage = View<typeof runPageSchema>

export const stackRunRowSchema = z
  .object({ ...runShape, stack: z.string().describe('The name of the stack.') })
  .openapi('StackRunRow', { description: 'A run in a list of several stacks: without `plan` and `problems`.' })

export type StackRunRow = View<typeof stackRunRowSchema>

export const appliedSchema = z
  .object({
    ...runShape,
    already: z
      .literal(true)
      .optional()
      .describe('This run applied the plan before, or it was queued by an earlier approval.'),
  })
  .openapi('AppliedRun', { description: 'The run that applies a plan.' })

export type AppliedRow = View<typeof appliedSchema>

export const taggedRunSchema = z
  .object({
    ...runShape,
    etag: z.string().describe('The tag of the changed stack, for `If-Match`.'),
  })
  .openapi('TaggedRun', { description: 'The run that a rollback or a push began.' })

export type TaggedRun = View<typeof taggedRunSchema>

export const runComparisonSchema = z
  .object({
    stack: z.string().describe('The name of the stack.'),
    a: runRowSchema.describe('The run before.'),
    b: runRowSchema.describe('The run after.'),
    changes: list(changeSchema).describe(
      'From `a` to `b`, as in a plan. A value that another resource gives is its name: `(id of Label/red)`. ' +
        'Empty: both runs declare the same.',
    ),
    counts: countsSchema,
    settings: list(fieldChangeSchema)
      .nullable()
      .describe(
        'The settings of the stack that differ, as documents write them: `dataLoss`, `values.retention`. ' +
          'null: not known, because an older version of gitmoor carried out one of the runs.',
      ),
  })
  .openapi('RunComparison', { description: 'What two runs declare differently, each with the settings that it read.' })

export type RunComparison = View<typeof runComparisonSchema>

const runBlockerSchema = z.object({
  ...blockerShape,
  reason: z.enum(runBlockerReasons).describe('One word for programs.'),
  stalled: z
    .literal(true)
    .optional()
    .describe('Of `Dependencies`: one of these stacks failed, is blocked or is suspended.'),
})

export const runSchema = z
  .object({
    ...runShape,
    stack: z.string().describe('The name of the stack.'),
    intent: z
      .enum(['sync', 'uninstall', 'delete', 'ownership'])
      .describe('`ownership`: it changes the stack itself, who owns resources, or one resource directly.'),
    blockers: list(runBlockerSchema).describe(
      'Why it does not start while it is queued, or does not go on while it is undoing.',
    ),
    plan: orNull(planSchema).describe('null: it has not planned.'),
    progress: z
      .record(z.string(), z.enum(['done', 'in-progress', 'not-done', 'undone', 'unknown']))
      .optional()
      .describe('What became of each change, by address, if the run did not complete its plan, or applies it now.'),
    phases: list(runPhaseSchema).describe(
      'The phases that it entered, in their order. Empty: not known, because its stack was deleted.',
    ),
    problems: list(problemSchema).describe('Errors and warnings of its package and its changes.'),
  })
  .openapi('Run', { description: 'One attempt to bring a stack to a revision.' })

export type RunView = View<typeof runSchema>
