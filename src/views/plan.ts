// A plan, and its changes.
import { z } from '@hono/zod-openapi'
import { changeReasons } from '../model/resources/change.js'
import { problemSchema } from './errors/problem.js'
import { blockerSchema } from './status.js'
import { address, identity, json, list, versions, type View } from './view.js'

export const countsSchema = z
  .object({
    create: z.int().describe('Resources that are new.'),
    update: z.int().describe('Resources that change, move or are adopted.'),
    remove: z.int().describe('Resources that are removed.'),
    unchanged: z.int().describe('Resources that stay as they are.'),
  })
  .openapi('Counts', { description: 'Resources without parts (label mappings).' })

const fieldChangeShape = {
  path: z.string().describe('The field: `retentionRules[0].everySeconds`.'),
  old: json.optional().describe('Any JSON; absent: the field is new.'),
  new: json.optional().describe('Any JSON; absent: the field is removed.'),
}

export const fieldChangeSchema = z.object(fieldChangeShape)

const namedFieldChangeSchema = z.object({
  ...fieldChangeShape,
  entries: list(
    z.object({
      path: z.string().describe('The entry: `charts[1]`.'),
      name: z.string().describe('What people call the entry: `Processor`.'),
    }),
  )
    .optional()
    .describe('The named list entries that contain the field, the outermost first.'),
})

export const edgesSchema = list(
  z.object({
    to: address,
    why: z
      .enum(['reference', 'declared'])
      .describe('`reference`: a field names it; `declared`: `needs` of the document lists it.'),
    text: z.string().describe('The field that says so: `spec.room`.'),
  }),
)

export const changeSchema = z
  .object({
    address,
    kind: z.string().describe('The exact kind, such as `CheckDeadman`; the address has its family.'),
    identity: identity.optional().describe('The id of the resource on its target; absent: it is new.'),
    action: z
      .enum(['create', 'update', 'remove', 'untrack'])
      .describe('`untrack`: the stack gives the resource up, and it stays on the target.'),
    adopts: z.literal(true).optional().describe('An update of a resource that no stack owned.'),
    from: address.optional().describe('The former address of the resource in this stack.'),
    shares: z
      .literal(true)
      .optional()
      .describe('Another stack owns the resource and declares it alike: only ownership changes.'),
    takesFrom: z.string().optional().describe('The id of the stack that owned the resource and now shares it.'),
    fields: list(fieldChangeSchema).describe('The changed fields; empty if only ownership changes.'),
    shown: list(namedFieldChangeSchema)
      .optional()
      .describe(
        'Of an update: `fields` for people, with list entries matched by their names. ' +
          'Absent: as `fields`. Not in the digest.',
      ),
    losesData: z.literal(true).optional().describe('A removal that deletes data, or an update with `losses`.'),
    adopted: z.literal(true).optional().describe('A removal of a resource that existed before its stack adopted it.'),
    lost: z.string().optional().describe('Of a removal that loses data: what it deletes: `data`, `run history`.'),
    losses: list(
      z.object({
        path: z.string().describe('The field that causes the loss.'),
        message: z.string().describe('What is lost, without a full stop.'),
      }),
    )
      .optional()
      .describe('Of an update: the data that it deletes, or that the target then rejects. The first 20.'),
    partOf: address.optional().describe('The resource that a label mapping belongs to.'),
    first: z.literal(true).optional().describe('A removal before the writes, because a write needs its name.'),
    last: z
      .literal(true)
      .optional()
      .describe('An update after the other writes: an undo cannot restore what it overwrites.'),
    displayName: z.string().optional().describe('The name that people see.'),
    reason: z
      .enum(changeReasons)
      .describe('What made it necessary: the package, the target, an input or a decision of a person.'),
    needs: list(address).describe('The resources that it comes after.'),
    edges: edgesSchema
      .optional()
      .describe('Why it needs each of them. Absent: it needs nothing, is a part, or is no longer declared.'),
    timeoutMs: z
      .int()
      .optional()
      .describe('Time limit of calls that write the resource, in milliseconds. Absent: `limits.driverCall`.'),
    after: list(address).describe('Changes that must end first.'),
  })
  .openapi('Change', { description: 'One change of a plan.' })

const approvalReasonSchema = z
  .object({
    rule: z
      .enum(['deletions', 'data-loss', 'adoption', 'approval', 'protect'])
      .describe('The rule that requires the approval.'),
    address: address.optional().describe('The resource; absent: the rule is about the whole plan.'),
    message: z.string().describe('One sentence for people.'),
    always: z.literal(true).optional().describe('No setting of the stack allows it: it always needs approval.'),
  })
  .openapi('ApprovalReason', { description: 'Why a plan needs approval.' })

export const planSchema = z
  .object({
    stack: z.string().describe('The id of the stack; empty: the stack does not exist yet.'),
    stackName: z.string().describe('The name of the stack.'),
    target: z.string().describe('The target that it changes.'),
    revision: z.string().describe('The revision that it applies.'),
    versions,
    changes: list(changeSchema).describe('In the order in which they are applied.'),
    counts: countsSchema,
    unchanged: z.int().describe('The number of resources without parts that are as declared.'),
    needsApproval: list(approvalReasonSchema).describe('Why it needs approval; empty: it needs none.'),
    sharedDrift: list(
      z.object({ address, path: z.string().describe('The field that differs; empty: the resource is missing.') }),
    ).describe('Differences of shared resources, which their owners correct. The first 100.'),
    ignored: list(z.object({ address, path: z.string().describe('The field that differs.') })).describe(
      'Fields that differ and are ignored. The first 100.',
    ),
    digest: z.string().describe('SHA-256 in hex of the stack, target, revision and changes.'),
    problems: list(problemSchema).describe('Warnings about the package.'),
    uninstall: z.literal(true).optional().describe('Of a preview: the uninstall that needs approval.'),
    blockers: list(blockerSchema)
      .optional()
      .describe(
        'Of a preview: what keeps a sync from applying it now, or keeps it at an older revision than the newest.',
      ),
  })
  .openapi('Plan', { description: 'Ordered changes that bring a target to a revision. `digest` identifies them.' })

export type PlanView = View<typeof planSchema>
