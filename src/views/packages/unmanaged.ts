// What exists on a target and no stack manages.
import { z } from '@hono/zod-openapi'
import { findingSchema } from '../errors/problem.js'
import { list, type View } from '../view.js'

const familySchema = z.object({
  family: z.string().describe('`Bucket`, `Dashboard`, ….'),
  count: z.int().describe('How many resources.'),
  names: list(z.string()).describe('The names that people see, sorted. The first 100.'),
})

const foreignStackSchema = z.object({
  id: z.string().describe('Its id on the target: `stackID` of an import.'),
  name: z.string().describe('Its name; may be empty.'),
  description: z.string().describe('May be empty.'),
  resources: z.int().describe('How many resources it lists.'),
  unmanaged: z.int().describe('How many of them exist, and no stack of gitmoor manages them.'),
  stacks: list(z.string()).describe('The stacks of gitmoor that manage others of them.'),
})

export const unmanagedSchema = z
  .object({
    target: z.string().describe('The target that was read.'),
    managed: z.int().describe('How many resources stacks manage.'),
    families: list(familySchema).describe(
      'Resources that no stack manages, without those that the target made itself.',
    ),
    stacks: list(foreignStackSchema).describe('Stacks that the system behind the target keeps itself.'),
    warnings: list(findingSchema).describe('Of the target, such as missing rights: the lists may be incomplete.'),
  })
  .openapi('Unmanaged', { description: 'What exists on a target and no stack manages.' })

export type UnmanagedView = View<typeof unmanagedSchema>
