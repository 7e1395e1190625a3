import { z } from '@hono/zod-openapi'
import type { Verbs } from '../../stacks/verbs.js'
import { addEndpoint, type Api } from './endpoint.js'
import { list } from '../../views/list-schema.js'

const checkSchema = z
  .object({
    name: z.string(),
    state: z.enum(['ok', 'warning', 'problem', 'skipped']),
    message: z.string(),
    next: z.string().optional().openapi({ description: 'What to do about it.' }),
  })
  .openapi('Check')

export const diagnosisSchema = z
  .object({ checks: list(checkSchema), worst: z.enum(['ok', 'warning', 'problem']) })
  .openapi('Diagnosis')

export function addDoctorRoutes(api: Api, verbs: Verbs): void {
  const doctor = {
    method: 'get',
    path: '/api/v1/doctor',
    tag: 'doctor',
    summary: 'Everything that is worth a look.',
  } as const
  addEndpoint(api, { ...doctor, answer: diagnosisSchema }, ({ signal }) => verbs.doctor(signal))
}
