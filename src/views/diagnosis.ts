// The results of the doctor.
import { z } from '@hono/zod-openapi'
import { configurationSchema } from './configuration.js'
import { list, type View } from './view.js'

const checkSchema = z
  .object({
    name: z.string(),
    state: z.enum(['ok', 'warning', 'problem', 'skipped']),
    message: z.string(),
    next: z.string().optional().openapi({ description: 'What to do about it.' }),
    affects: z
      .object({ count: z.number().int(), stacks: list(z.string()) })
      .optional()
      .openapi({ description: 'The stacks that have the same problem: their number, and the first 50 names.' }),
    cause: z
      .string()
      .optional()
      .openapi({ description: 'Of a stack: the name of the check that has the same problem.' }),
  })
  .openapi('Check', { description: 'One check of the doctor.' })

export const diagnosisSchema = z
  .object({
    checks: list(checkSchema),
    worst: z.enum(['ok', 'warning', 'problem']),
    configuration: configurationSchema.optional().openapi({ description: 'Absent if no agent runs.' }),
  })
  .openapi('Diagnosis', { description: 'The results of the doctor.' })

export type Diagnosis = View<typeof diagnosisSchema>
