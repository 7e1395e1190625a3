import { z } from '@hono/zod-openapi'
import { problemSchema } from './error-schema.js'
import { list } from './list-schema.js'

const digest = /^[0-9a-f]{12,64}$/
/** As a request names a plan. */
export const planDigest = z
  .string()
  .regex(digest, 'must be the digest of a plan: 12 to 64 hex digits, which `POST …/plan` answers.')
/** The same of a plan that takes everything away. */
export const uninstallDigest = z
  .string()
  .regex(
    digest,
    'must be the digest of an uninstall plan: 12 to 64 hex digits, which `POST …/plan` with `{"uninstall": true}` answers.',
  )

export const countsSchema = z
  .object({ create: z.int(), update: z.int(), remove: z.int(), unchanged: z.int() })
  .openapi('Counts', { description: 'Resources; parts (label mappings) are not counted.' })

/**
 * Any JSON. Secrets stand as `(secret FINGERPRINT)`, values that another resource gives as `(known after apply: …)`.
 */
const json = z.unknown().openapi({ description: 'Any JSON.' })

const fieldChangeSchema = z.object({ path: z.string(), old: json.optional(), new: json.optional() })

export const changeSchema = z
  .object({
    address: z.string(),
    kind: z.string(),
    identity: z.string().optional(),
    action: z.enum(['create', 'update', 'remove', 'forget']),
    adopts: z.literal(true).optional(),
    from: z.string().optional(),
    shares: z.literal(true).optional(),
    fields: list(fieldChangeSchema),
    losesData: z
      .literal(true)
      .optional()
      .openapi({ description: 'A removal that deletes data, or an update with `losses`.' }),
    losses: list(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .openapi({ description: 'Of an update: the data that it makes the target delete or refuse, the first 20.' }),
    partOf: z.string().optional(),
    first: z.literal(true).optional(),
    displayName: z.string().optional(),
    reason: z.enum(['added', 'edited', 'drifted', 'gone', 'dropped', 'uninstalled']),
    needs: list(z.string()),
    after: list(z.string()),
  })
  .openapi('Change')

export const approvalReasonSchema = z
  .object({
    rule: z.enum(['deletions', 'data-loss', 'adoption', 'approval', 'protect']),
    address: z.string().optional(),
    message: z.string(),
    always: z
      .literal(true)
      .optional()
      .openapi({ description: 'No setting of the stack lets it pass: only an approval does.' }),
  })
  .openapi('Hold')

export const planSchema = z
  .object({
    stack: z.string(),
    stackName: z.string(),
    target: z.string(),
    revision: z.string(),
    changes: list(changeSchema),
    counts: countsSchema,
    unchanged: z.int(),
    needsApproval: list(approvalReasonSchema),
    sharedDrift: list(z.object({ address: z.string(), path: z.string() })).openapi({
      description: 'Where shared things differ, for their owners to put right: the first 100.',
    }),
    ignored: list(z.object({ address: z.string(), path: z.string() })).openapi({
      description: 'Fields that differ and are left as others have them: the first 100.',
    }),
    digest: z.string(),
    problems: list(problemSchema),
  })
  .openapi('Plan')
