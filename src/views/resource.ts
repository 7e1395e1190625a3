// An existing resource on a target.
import { z } from '@hono/zod-openapi'
import { runRowSchema } from './run.js'
import { jsonObject, list, type View } from './view.js'

export const resourceSchema = z
  .object({
    target: z.string().describe('The target that has it.'),
    family: z.string().describe('`Bucket`, `Dashboard`, `Check`, ….'),
    id: z.string().describe('Its id on the target.'),
    displayName: z.string().describe('The name that people see.'),
    stack: z.string().nullable().describe('The name of the stack that owns it.'),
    address: z.string().nullable().describe('Its address in that stack; in a list of one stack, its address there.'),
    sharers: list(z.string())
      .optional()
      .describe('Names of the stacks that declare it, too, and share it. Not in lists.'),
    actual: jsonObject.describe('Its actual state.'),
    needsConsent: z
      .string()
      .optional()
      .describe('Why deleting it needs `consent`: it loses data, or a stack protects it. Not in lists.'),
  })
  .openapi('Resource', { description: '`stack` and `address` are null if no stack owns it.' })

export type TargetResource = View<typeof resourceSchema>

export const releasedSchema = z
  .object({
    run: runRowSchema,
    id: z.string().describe('Its id on the target.'),
    findsAgain: z
      .boolean()
      .describe('true: while the package declares it, a sync finds it by its name; false: a sync creates another one.'),
  })
  .openapi('ReleasedResource', { description: 'A resource that its stack gave up.' })

export type ReleasedResource = View<typeof releasedSchema>
