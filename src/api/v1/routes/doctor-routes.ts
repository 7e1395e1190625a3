import { addEndpoint, type Api } from '../endpoint.js'
import { diagnosisSchema } from '../../../views/diagnosis.js'
import { diagnose } from '../../../stacks/doctor/doctor.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'

export function addDoctorRoutes(api: Api, call: CallUseCase): void {
  const doctor = {
    method: 'get',
    path: '/api/v1/doctor',
    tag: 'doctor',
    operationId: 'getDiagnosis',
    role: 'read',
    summary: 'Diagnose problems of the agent, its sources, targets and stacks.',
    description: 'Changes nothing. `next` of an entry says what to do.',
  } as const
  addEndpoint(api, { ...doctor, answer: diagnosisSchema }, ({ signal }) => call(diagnose, signal))
}
