// How requests name a plan.
import { z } from '@hono/zod-openapi'

const digest = /^[0-9a-f]{12,64}$/
export const planDigest = z
  .string()
  .regex(digest, 'must be the digest of a plan: 12 to 64 hex digits.')
  .describe('The digest of the plan, or its first 12 digits or more.')
/** The digest of an uninstall plan. */
export const uninstallDigest = z
  .string()
  .regex(
    digest,
    'must be the digest of an uninstall plan: 12 to 64 hex digits, from `POST …/plan` with `{"uninstall": true}`.',
  )
