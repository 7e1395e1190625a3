// An error as people and clients see it. Clients decide by its status.
import {
  Ambiguous,
  Bug,
  InvalidPackage,
  Refused,
  StalePlan,
  Stopped,
  SyncError,
  tooManyOpen,
} from '../../model/errors.js'
import { withoutUndefined } from '../../lib/without-undefined.js'
import type { ErrorBody, ErrorStatus } from './error.js'

/** Without details if the error is unexpected (`internal`): its message may contain secrets. */
export function errorBody(given: unknown): ErrorBody {
  const error = tooManyOpen(given) ?? given
  const status = errorStatus(error)
  if (status === 'internal' || !(error instanceof SyncError)) return internalError
  const problems = error instanceof Refused || error instanceof InvalidPackage ? error.problems : []
  return {
    status,
    code: error.code,
    message: error.message,
    ...withoutUndefined({ hint: error.hint, suggestion: error.suggestion }),
    ...(problems.length === 0 ? {} : { problems }),
  }
}

const internalError: ErrorBody = {
  status: 'internal',
  code: 'bug',
  message: 'Internal error.',
  hint: 'Find the requestId of this answer in the log of the agent, and please report the error.',
}

function errorStatus(error: unknown): ErrorStatus {
  if (error instanceof Refused) return error.status
  if (error instanceof InvalidPackage) return isOfPlan(error) ? 'needs-approval' : 'invalid'
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

/** Another stack owns a resource, or names collide: a safeguard refuses the plan. */
function isOfPlan({ code }: InvalidPackage): boolean {
  return code.startsWith('plan/')
}

/** gitmoor refuses these sources itself: no remote was asked. */
const refusedSources: ReadonlySet<string> = new Set([
  'source/directory-not-allowed',
  'source/data-directory',
  'source/scheme',
  'source/bad-address',
  'source/user-information',
  'source/bad-ref',
  'source/bad-path',
])

/** The first part of a code names the area that failed. */
function roomStatus(error: SyncError): ErrorStatus {
  if (refusedSources.has(error.code)) return 'usage'
  const room = error.code.split('/')[0]
  if (room === 'source') return 'source'
  if (room === 'platform' || room === 'engine') return 'target'
  if (room === 'plan') return 'needs-approval'
  if (room === 'store' || room === 'api' || room === 'machine') return 'unavailable'
  return error instanceof Ambiguous ? 'conflict' : 'failed'
}
