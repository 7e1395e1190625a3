// Why a stack, and each of its resources, is as it is.
import { z } from '@hono/zod-openapi'
import { moveSchema } from './channel.js'
import { changeSchema } from './plan.js'
import { list, orNull, time, type View } from './view.js'
import { blockerSchema, statusSchema } from './status.js'

const blockers = list(blockerSchema)

export const explanationSchema = z
  .object({
    name: z.string(),
    labels: z.record(z.string(), z.string()),
    follows: list(
      z.object({
        source: z.string(),
        revision: z.string().nullable(),
        tag: z.string().optional(),
        observedAt: time.nullable(),
        polledAt: time.nullable(),
        problem: z.string().nullable().openapi({ description: 'Why the last poll failed.' }),
        move: orNull(moveSchema),
      }),
    ),
    lastRun: z.string(),
    status: statusSchema,
    blockers,
    window: z
      .object({ open: z.boolean(), until: time.nullable(), reason: z.string().nullable() })
      .nullable()
      .openapi({ description: 'The state of its windows now; null: it has none.' }),
    dependencies: list(z.object({ name: z.string(), ready: z.boolean(), why: z.string() })),
    nextPollAt: time.nullable(),
    delays: list(z.string()).openapi({ description: 'Why the next poll is later than the interval says.' }),
    nextScheduleAt: time.nullable(),
    nextDriftCheckAt: time.nullable(),
    nextRetryAt: time.nullable(),
    overrides: list(
      z.object({ at: time, by: z.string(), what: z.string(), why: z.string(), overrode: z.string() }),
    ).openapi({
      description: 'Writes during a closed window (`overrode`) that are not part of a run, the newest 5.',
    }),
    text: z.string(),
  })
  .openapi('Explanation', { description: 'Why a stack is in its state.' })

export type Explanation = View<typeof explanationSchema>
export type FollowedView = Explanation['follows'][number]

const explainedShape = {
  address: z.string(),
  kind: z.string(),
  displayName: z.string(),
  id: z.string(),
  shared: z.boolean(),
  adopted: z.boolean(),
  protected: z.boolean(),
  lastChange: z
    .object({
      run: z.string(),
      at: time,
      action: changeSchema.shape.action,
      reason: changeSchema.shape.reason,
      adopts: z.literal(true).optional(),
      from: z.string().optional(),
      paths: list(z.string()).openapi({ description: 'The first 20 updated fields, as in `shown` of the change.' }),
      fields: z.int().openapi({ description: 'The number of updated fields, as in `shown` of the change.' }),
      cause: z.string().nullable(),
    })
    .nullable(),
}

export const explainedResourceSchema = z
  .object(explainedShape)
  .openapi('ResourceExplanation', { description: 'When and why a resource of a stack last changed.' })

export type ResourceExplanation = View<typeof explainedResourceSchema>

export const resourceDetailSchema = z
  .object({
    ...explainedShape,
    partOf: z.string().nullable(),
    parts: list(z.string()),
    needs: list(z.string()),
    neededBy: list(z.string()),
    owner: z.object({ stack: z.string(), address: z.string() }).nullable(),
    sharers: list(z.string()),
    ignored: list(z.string()),
    change: orNull(changeSchema).openapi({
      description: 'Its change in the plan of `lastChange.run`; null: none is stored.',
    }),
    blockers,
  })
  .openapi('ResourceDetail', { description: 'One resource of a stack in full: its last change, owner and blockers.' })

export type ResourceDetail = View<typeof resourceDetailSchema>
