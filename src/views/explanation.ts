// Why a stack, and each of its resources, is as it is.
import { z } from '@hono/zod-openapi'
import { moveSchema } from './channel.js'
import { problemSchema } from './errors/problem.js'
import { changeSchema, edgesSchema } from './plan.js'
import { json, list, orNull, time, type View } from './view.js'
import { blockerSchema, statusSchema } from './status.js'

const blockers = list(blockerSchema).describe('Why it does not go on by itself; empty: nothing blocks it.')

export const explanationSchema = z
  .object({
    name: z.string().describe('The name of the stack.'),
    labels: z.record(z.string(), z.string()).describe('The labels of the stack.'),
    fleet: z
      .object({
        name: z.string().describe('The name of the fleet.'),
        problems: list(problemSchema).describe('Why its last listing changed nothing; empty: it had no problem.'),
      })
      .nullable()
      .describe('The fleet that declares the stack; null: none does.'),
    follows: list(
      z.object({
        source: z.string().describe('The source, as lists print it.'),
        revision: z.string().nullable().describe('The newest observed revision; null: none.'),
        tag: z.string().optional().describe('The chosen tag, if the ref is a version range.'),
        observedAt: time.nullable().describe('When the revision was first observed: RFC 3339, UTC; null: unknown.'),
        polledAt: time.nullable().describe('The last poll: RFC 3339, UTC; null: none since the start.'),
        problem: z.string().nullable().describe('Why the last poll failed.'),
        move: orNull(moveSchema).describe('The newest move of its channel; null: none, or no channel.'),
      }),
    ).describe('Its sources, each with its last poll.'),
    lastRun: z.string().describe('In sentences: why the newest run started, and how it ended.'),
    status: statusSchema,
    blockers,
    window: z
      .object({
        open: z.boolean().describe('Whether runs may write now.'),
        until: time.nullable().describe('The next change of `open`: RFC 3339, UTC; null: none.'),
        reason: z.string().nullable().describe('The reason of the window that decides; null: none is given.'),
      })
      .nullable()
      .describe('The state of its windows now; null: it has none.'),
    dependencies: list(
      z.object({
        name: z.string().describe('The stack that it depends on.'),
        ready: z.boolean().describe('Whether runs may start as far as this stack goes.'),
        why: z.string().describe('One sentence for people.'),
      }),
    ).describe('The stacks of `dependsOn`.'),
    nextPollAt: time.nullable().describe('RFC 3339, UTC; null: no poll is planned.'),
    requestedPollAt: time
      .nullable()
      .describe(
        'When a requested poll begins that waits, because the last one failed. RFC 3339, UTC; null: none waits.',
      ),
    delays: list(z.string()).describe('Why the next poll is later than the interval says.'),
    nextScheduleAt: time.nullable().describe('RFC 3339, UTC; null: no sync is scheduled.'),
    checkedAt: time.nullable().describe('When drift and health were last checked. RFC 3339, UTC; null: unknown.'),
    nextDriftCheckAt: time.nullable().describe('RFC 3339, UTC; null: none is planned.'),
    nextRetryAt: time.nullable().describe('RFC 3339, UTC; null: none is planned.'),
    overrides: list(
      z.object({
        at: time.describe('RFC 3339, UTC.'),
        by: z.string().describe('The person or program that wrote.'),
        what: z.string().describe('What was done: `delete Bucket/raw`.'),
        why: z.string().describe('The given reason.'),
        overrode: z.string().describe('The blocker.'),
      }),
    ).describe('Writes during a closed window (`overrode`) that are not part of a run, the newest 5.'),
    text: z.string().describe('The whole explanation in sentences.'),
  })
  .openapi('Explanation', { description: 'Why a stack is in its state.' })

export type Explanation = View<typeof explanationSchema>
export type FollowedView = Explanation['follows'][number]

const explainedShape = {
  address: z.string().describe('FAMILY/NAME as in the package: `Bucket/raw`.'),
  kind: z.string().describe('The exact kind, such as `CheckDeadman`.'),
  displayName: z.string().describe('The name that people see.'),
  id: z.string().describe('Its id on the target.'),
  shared: z.boolean().describe('Another stack owns it and declares it alike.'),
  adopted: z.boolean().describe('It existed before its stack declared it.'),
  protected: z.boolean().describe('A setting of the stack protects it from removal.'),
  lastChange: z
    .object({
      run: z.string().describe('The id of the run.'),
      at: time.describe('RFC 3339, UTC.'),
      action: changeSchema.shape.action.describe('What the run did.'),
      reason: changeSchema.shape.reason.describe('What made it necessary.'),
      adopts: z.literal(true).optional().describe('It adopted the resource.'),
      from: z.string().optional().describe('The former address.'),
      paths: list(z.string()).describe('The first 20 updated fields, as in `shown` of the change.'),
      fields: z.int().describe('The number of updated fields, as in `shown` of the change.'),
      cause: z.string().nullable().describe('Why the run was queued, in words; null: unknown.'),
    })
    .nullable()
    .describe('null: no change is stored.'),
}

export const explainedResourceSchema = z
  .object(explainedShape)
  .openapi('ResourceExplanation', { description: 'When and why a resource of a stack last changed.' })

export type ResourceExplanation = View<typeof explainedResourceSchema>

export const stackResourceSchema = z
  .object({
    ...explainedShape,
    needs: list(z.string()).describe('Addresses of resources that it comes after.'),
    parts: list(z.string()).describe('Addresses of its label mappings.'),
    unhealthy: z
      .string()
      .nullable()
      .describe('Why it does not work, as the last check found it; null: it works, or it is not among the first 5.'),
    drift: z.boolean().describe('The last drift check found it or a part of it among the first 100 that differ.'),
  })
  .openapi('StackResource', {
    description: 'A resource of a stack, with what a graph of all shows. No target is read.',
  })

export type StackResource = View<typeof stackResourceSchema>

const resourceDriftSchema = z.object({
  gone: z.boolean().describe('The target no longer has the resource.'),
  fields: list(
    z.object({
      path: z.string().describe('The field: `retentionRules[0].everySeconds`.'),
      applied: json.optional().describe('What the last run applied; absent: the field or entry is not declared.'),
      actual: json.optional().describe('What the target has; absent: it has no such field or entry.'),
    }),
  ).describe('The fields that differ, without ignored ones; empty: none does, or the resource is gone.'),
})

const foundFieldSchema = z.object({
  ...resourceDriftSchema.shape.fields.unwrap().element.shape,
  entries: list(
    z.object({
      path: z.string().describe('The entry: `charts[1]`.'),
      name: z.string().describe('What people call the entry.'),
    }),
  )
    .optional()
    .describe('The named list entries that contain the field, the outermost first.'),
  tooLong: z.literal(true).optional().describe('Both values together are too long, and not stored.'),
})

export const driftSchema = z
  .object({
    checkedAt: time.nullable().describe('When drift was last checked: RFC 3339, UTC; null: unknown.'),
    since: time.nullable().describe('When a check first found drift that is not corrected; null: there is none.'),
    total: z.int().describe('How many resources and parts differ. Some may not be in the lists.'),
    resources: list(
      z.object({
        address: z.string().describe('FAMILY/NAME as in the package: `Bucket/raw`.'),
        kind: z.string().describe('The exact kind, such as `CheckDeadman`.'),
        displayName: z.string().optional().describe('The name that people see.'),
        partOf: z.string().optional().describe('The resource that a label mapping belongs to.'),
        difference: z
          .enum(['missing', 'changed', 'undeclared'])
          .describe('`missing`: the target no longer has it; `undeclared`: the applied package does not declare it.'),
        fields: list(foundFieldSchema).describe('The fields that differ, the first 100. Empty unless `changed`.'),
      }),
    ).describe('The first 100 resources and parts that differ; at most 256 Ki characters.'),
    shared: list(
      z.object({
        address: z.string().describe('FAMILY/NAME as in the package: `Bucket/raw`.'),
        path: z.string().describe('The field that differs; empty: the resource is missing.'),
      }),
    ).describe('Differences of shared resources, which their owners correct. The first 100.'),
  })
  .openapi('Drift', { description: 'What the last drift check of a stack found. No source and no target is read.' })

export type DriftView = View<typeof driftSchema>

export type ResourceDrift = View<typeof resourceDriftSchema>

export const resourceDetailSchema = z
  .object({
    ...explainedShape,
    partOf: z.string().nullable().describe('The address of the resource that a label mapping belongs to.'),
    parts: list(z.string()).describe('Addresses of its label mappings.'),
    needs: list(z.string()).describe('Addresses of resources that it comes after.'),
    edges: edgesSchema.optional().describe('Why it needs each of them. Absent: not known.'),
    neededBy: list(z.string()).describe('Addresses of resources that come after it.'),
    owner: z
      .object({
        stack: z.string().describe('The name of the stack.'),
        address: z.string().describe('Its address in that stack.'),
      })
      .nullable()
      .describe('The stack that owns it; null: none.'),
    sharers: list(z.string()).describe('Names of the stacks that share it.'),
    ignored: list(z.string()).describe('Fields whose differences its stack ignores.'),
    drift: resourceDriftSchema
      .optional()
      .describe('How it differs now on its target from what was applied. Absent: the target could not be read.'),
    unhealthy: z
      .string()
      .nullable()
      .optional()
      .describe(
        'Why it does not work now: one sentence; null: it works. Absent: its kind does not say, or the target could ' +
          'not be read.',
      ),
    driftUnknown: z.string().optional().describe('Why `drift` is absent: one sentence.'),
    change: orNull(changeSchema).describe('Its change in the plan of `lastChange.run`; null: none is stored.'),
    blockers,
  })
  .openapi('ResourceDetail', { description: 'One resource of a stack in full: its last change, owner and blockers.' })

export type ResourceDetail = View<typeof resourceDetailSchema>
