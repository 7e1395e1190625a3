// Errors as answers, in one shape: { error: { status, code, message, hint?, problems?, requestId } }. Clients decide by
// `status`; the command line has an exit code for each.
import { errorBody } from '../views/errors/error-body.js'
import type { ErrorBody, ErrorStatus } from '../views/errors/error.js'
import { HttpRefusal } from './http-refusal.js'

export interface ErrorAnswer {
  readonly http: number
  readonly body: ErrorBody
}

const httpStatus: Readonly<Record<ErrorStatus, number>> = {
  usage: 400,
  auth: 401,
  'not-found': 404,
  conflict: 409,
  'needs-approval': 409,
  stale: 409,
  cancelled: 409,
  failed: 422,
  invalid: 422,
  locked: 423,
  internal: 500,
  source: 502,
  target: 502,
  unavailable: 503,
  timeout: 504,
}

/** The answer for an error. An unexpected error is answered without details. */
export function toErrorAnswer(error: unknown): ErrorAnswer {
  const body = errorBody(error)
  return { http: error instanceof HttpRefusal ? error.http : httpStatus[body.status], body }
}
