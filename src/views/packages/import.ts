// A new stack that takes over existing resources.
import { z } from '@hono/zod-openapi'
import { planSchema } from '../plan.js'
import { findingSchema } from '../errors/problem.js'
import { resourceRowSchema, stackSchema } from '../stack.js'
import { list, orNull, type View } from '../view.js'

const leftOutSchema = z.object({
  kind: z.string().describe('Its family, such as `Dashboard`.'),
  name: z.string().describe('Its name in the record.'),
  id: z.string().describe('Its id in the record.'),
  why: z
    .enum(['gone', 'system', 'unknown-kind'])
    .describe('`gone`: the target no longer has it; `system`: the target made it itself.'),
})

export const importSchema = z
  .object({
    name: z.string().describe('The name of the new stack.'),
    target: z.string().describe('The target that has the resources.'),
    stack: orNull(stackSchema).describe('The new stack; null: a preview.'),
    run: z.string().nullable().describe('The id of its first run; null: a preview.'),
    from: z
      .object({
        id: z.string().describe('Its id on the target.'),
        name: z.string().describe('Its name; may be empty.'),
        description: z.string().describe('May be empty.'),
      })
      .nullable()
      .describe('The stack that the system behind the target keeps; null: none was named.'),
    taken: list(resourceRowSchema).describe('The resources that the new stack owns, without parts.'),
    leftOut: list(leftOutSchema).describe('Resources that the record lists and gitmoor cannot own.'),
    plan: planSchema,
    held: z
      .boolean()
      .describe('true: the first plan writes to the target, so the stack is suspended until a person resumes it.'),
    warnings: list(findingSchema).describe('What the system behind the target still does to the resources.'),
  })
  .openapi('Import', { description: 'A new stack that takes over existing resources, and its first plan.' })

export type ImportView = View<typeof importSchema>
