// A plan, and its changes.
import { z } from '@hono/zod-openapi'
import { changeReasons } from '../model/change.js'
import { problemSchema } from './problem.js'
import { blockerSchema } from './status.js'
import { address, identity, json, list, versions, type View } from './view.js'

export const countsSchema = z
  .object({ create: z.int(), update: z.int(), remove: z.int(), unchanged: z.int() })
  .openapi('Counts', { description: 'Resources without parts (label mappings).' })

const fieldChangeShape = { path: z.string(), old: json.optional(), new: json.optional() }

export const fieldChangeSchema = z.object(fieldChangeShape)

const namedFieldChangeSchema = z.object({
  ...fieldChangeShape,
  entries: list(z.object({ path: z.string(), name: z.string() }))
    .optional()
    .openapi({ description: 'The named list entries that contain the field, the outermost first.' }),
})

export const changeSchema = z
  .object({
    address,
    kind: z.string(),
    identity: identity.optional(),
    action: z.enum(['create', 'update', 'remove', 'untrack']),
    adopts: z.literal(true).optional(),
    from: address.optional(),
    shares: z.literal(true).optional(),
    takesFrom: z.string().optional(),
    fields: list(fieldChangeSchema),
    shown: list(namedFieldChangeSchema)
      .optional()
      .openapi({
        description:
          'Of an update: `fields` for people, with list entries matched by their names. ' +
          'Absent: as `fields`. Not in the digest.',
      }),
    losesData: z
      .literal(true)
      .optional()
      .openapi({ description: 'A removal that deletes data, or an update with `losses`.' }),
    losses: list(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .openapi({
        description: 'Of an update: the data that it deletes, or that the target then rejects. The first 20.',
      }),
    partOf: address.optional(),
    first: z.literal(true).optional(),
    displayName: z.string().optional(),
    reason: z.enum(changeReasons),
    needs: list(address),
    after: list(address),
  })
  .openapi('Change', { description: 'One change of a plan.' })

export const approvalReasonSchema = z
  .object({
    rule: z.enum(['deletions', 'data-loss', 'adoption', 'approval', 'protect']),
    address: address.optional(),
    message: z.string(),
    always: z
      .literal(true)
      .optional()
      .openapi({ description: 'No setting of the stack allows it: it always needs approval.' }),
  })
  .openapi('ApprovalReason', { description: 'Why a plan needs approval.' })

export const planSchema = z
  .object({
    stack: z.string(),
    stackName: z.string(),
    target: z.string(),
    revision: z.string(),
    versions,
    changes: list(changeSchema),
    counts: countsSchema,
    unchanged: z.int(),
    needsApproval: list(approvalReasonSchema),
    sharedDrift: list(z.object({ address, path: z.string() })).openapi({
      description: 'Differences of shared resources, which their owners correct. The first 100.',
    }),
    ignored: list(z.object({ address, path: z.string() })).openapi({
      description: 'Fields that differ and are ignored. The first 100.',
    }),
    digest: z.string(),
    problems: list(problemSchema),
    blockers: list(blockerSchema).optional().openapi({
      description:
        'Of a preview: what keeps a sync from applying it now, or keeps it at an older revision than the newest.',
    }),
  })
  .openapi('Plan', { description: 'Ordered changes that bring a target to a revision. `digest` identifies them.' })

export type PlanView = View<typeof planSchema>
