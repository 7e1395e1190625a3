// An existing resource on a target.
import { z } from '@hono/zod-openapi'
import { runRowSchema } from './run.js'
import { jsonObject, type View } from './view.js'

export const resourceSchema = z
  .object({
    target: z.string(),
    family: z.string(),
    id: z.string(),
    displayName: z.string(),
    stack: z.string().nullable(),
    address: z.string().nullable(),
    actual: jsonObject.openapi({ description: 'Its actual state.' }),
    needsConsent: z.string().optional().openapi({
      description: 'Why deleting it needs `consent`: it loses data, or a stack protects it. Not in lists.',
    }),
  })
  .openapi('Resource', { description: '`stack` and `address` are null if no stack owns it.' })

export type TargetResource = View<typeof resourceSchema>

export const releasedSchema = z
  .object({
    run: runRowSchema,
    id: z.string(),
    findsAgain: z.boolean().openapi({
      description:
        'true: while the package declares it, a sync finds it by its name; false: a sync creates another one.',
    }),
  })
  .openapi('ReleasedResource', { description: 'A resource that its stack gave up.' })

export type ReleasedResource = View<typeof releasedSchema>
