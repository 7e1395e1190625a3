// Errors as answers, in one shape: { error: { status, code, message, hint?, problems?, requestId } }. Clients decide by
// `status`; the command line has an exit code for each.
import { Ambiguous, Bug, InvalidPackage, Refused, StalePlan, Stopped, SyncError, tooManyOpen } from '../model/errors.js'
import type { Problem } from '../model/problem.js'
import type { ErrorBody, ErrorStatus } from '../views/error.js'
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

/** The answer for an error. An unexpected error is answered without details: its message may contain secrets. */
export function toErrorAnswer(given: unknown): ErrorAnswer {
  const error = tooManyOpen(given) ?? given
  if (error instanceof HttpRefusal) return { http: error.http, body: errorBody(error.status, error, error.problems) }
  const status = errorStatus(error)
  if (status === 'internal' || !(error instanceof SyncError)) return { http: 500, body: internalError }
  const problems = error instanceof Refused || error instanceof InvalidPackage ? error.problems : []
  return { http: httpStatus[status], body: errorBody(status, error, problems) }
}

const internalError: ErrorBody = {
  status: 'internal',
  code: 'bug',
  message: 'Internal error.',
  hint: 'Find the requestId of this answer in the log of the agent, and please report the error.',
}

function errorBody(status: ErrorStatus, error: SyncError, problems: readonly Problem[] = []): ErrorBody {
  return {
    status,
    code: error.code,
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    ...(problems.length === 0 ? {} : { problems }),
  }
}

function errorStatus(error: unknown): ErrorStatus {
  if (error instanceof Refused) return error.status
  if (error instanceof InvalidPackage) return 'invalid'
  if (error instanceof StalePlan) return 'stale'
  if (error instanceof Stopped) return stopStatuses[error.why]
  if (error instanceof SyncError && !(error instanceof Bug)) return roomStatus(error)
  return 'internal'
}

const stopStatuses: Readonly<Record<Stopped['why'], ErrorStatus>> = {
  superseded: 'cancelled',
  cancelled: 'cancelled',
  suspended: 'cancelled',
  timeout: 'timeout',
  shutdown: 'unavailable',
}

/** The first part of a code names the area that failed. */
function roomStatus(error: SyncError): ErrorStatus {
  const room = error.code.split('/')[0]
  if (room === 'source') return 'source'
  if (room === 'platform' || room === 'engine') return 'target'
  if (room === 'plan') return 'needs-approval'
  if (room === 'store' || room === 'api' || room === 'machine') return 'unavailable'
  return error instanceof Ambiguous ? 'conflict' : 'failed'
}
