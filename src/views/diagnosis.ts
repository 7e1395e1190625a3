// The results of the doctor.
import { z } from '@hono/zod-openapi'
import { configurationSchema } from './configuration.js'
import { list, type View } from './view.js'

const checkSchema = z
  .object({
    name: z.string().describe('What was checked: `stack boards`, `target local`.'),
    state: z.enum(['ok', 'warning', 'problem', 'skipped']).describe('`skipped`: it could not be checked.'),
    message: z.string().describe('One sentence for people.'),
    next: z.string().optional().describe('What to do about it.'),
    affects: z
      .object({
        count: z.number().int().describe('How many stacks.'),
        stacks: list(z.string()).describe('The first 50 names.'),
      })
      .optional()
      .describe('The stacks that have the same problem: their number, and the first 50 names.'),
    cause: z
      .string()
      .optional()
      .describe('Of a stack or a refused credential: the name of the check that has the same problem.'),
  })
  .openapi('Check', { description: 'One check of the doctor.' })

export const diagnosisSchema = z
  .object({
    checks: list(checkSchema).describe('The agent first, then remotes, targets and stacks.'),
    worst: z.enum(['ok', 'warning', 'problem']).describe('The worst state of all checks.'),
    configuration: configurationSchema.optional().describe('Absent if no agent runs.'),
  })
  .openapi('Diagnosis', { description: 'The results of the doctor.' })

export type Diagnosis = View<typeof diagnosisSchema>
