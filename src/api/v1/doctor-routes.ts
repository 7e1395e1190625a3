import type { Verbs } from '../../stacks/verbs.js'
import { addEndpoint, type Api } from './endpoint.js'
import { diagnosisSchema } from '../../views/diagnosis.js'

export function addDoctorRoutes(api: Api, verbs: Verbs): void {
  const doctor = {
    method: 'get',
    path: '/api/v1/doctor',
    tag: 'doctor',
    summary: 'Everything that is worth a look.',
  } as const
  addEndpoint(api, { ...doctor, answer: diagnosisSchema }, ({ signal }) => verbs.doctor(signal))
}
