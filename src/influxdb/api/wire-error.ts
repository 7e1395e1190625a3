// Errors in the form of the InfluxDB API: `{code, message}`, and the code again in a header.
import { Refused } from '../../model/errors.js'
import type { ErrorStatus } from '../../views/errors/error.js'
import type { ErrorAnswer } from '../../api/error-answer.js'

/** The error codes of InfluxDB that gitmoor answers with, and their HTTP status. */
export const wireStatus = {
  'internal error': 500,
  invalid: 400,
  'empty value': 400,
  'unprocessable entity': 422,
  conflict: 422,
  'not found': 404,
  unauthorized: 401,
  forbidden: 403,
  'method not allowed': 405,
  'request too large': 413,
  'too many requests': 429,
  unavailable: 503,
} as const

export type WireCode = keyof typeof wireStatus

/** The header that repeats the code. */
export const codeHeader = 'X-Platform-Error-Code'

/** A refusal with an error code of InfluxDB. `http`: the status, if it differs from that of the code. */
export class WireRefusal extends Refused {
  readonly wire: WireCode
  readonly http: number
  constructor(wire: WireCode, message: string, facts: { readonly http?: number; readonly cause?: unknown } = {}) {
    super('usage', message, { cause: facts.cause })
    this.wire = wire
    this.http = facts.http ?? wireStatus[wire]
  }
}

export interface WireError {
  readonly http: number
  readonly code: WireCode
  readonly body: object
}

/** Any error in InfluxDB's shape. The hint follows the message, so it still says what to do next. */
export function toWireError(error: unknown, { http, body }: ErrorAnswer): WireError {
  if (error instanceof WireRefusal)
    return { http: error.http, code: error.wire, body: { code: error.wire, message: error.message } }
  const code = body.code.startsWith('source/') ? ofRemote : (codesByHttp[http] ?? codesByStatus[body.status])
  const hint = hints[body.code] ?? body.hint
  const message = hint === undefined ? body.message : `${body.message} ${hint}`
  return {
    http: http in keptStatuses || body.code === 'stacks/window-closed' ? http : wireStatus[code],
    code,
    body: { code, message },
  }
}

/** Hints for InfluxDB clients, in place of hints for clients of /api/v1. */
const hints: Readonly<Record<string, string>> = {
  'api/not-found':
    "gitmoor serves the part of InfluxDB's API for packages (`influx apply`, `export`, `stacks`) and for reading " +
    'resources; ask InfluxDB itself for the rest.',
  'api/token':
    'Give the token of the agent: `influx --token TOKEN`, or the header `Authorization: Token TOKEN`. ' +
    'It is in agent.json in the data directory.',
}

/** Of a remote that cannot be read, for whatever reason. */
const ofRemote = 'unprocessable entity'

/** Statuses without a code of InfluxDB keep their number. */
const keptStatuses: Readonly<Record<number, true>> = { 408: true, 415: true, 421: true, 431: true }

const codesByHttp: Readonly<Record<number, WireCode>> = {
  400: 'invalid',
  404: 'not found',
  405: 'method not allowed',
  408: 'invalid',
  413: 'request too large',
  415: 'invalid',
  421: 'forbidden',
  431: 'request too large',
}

const codesByStatus: Readonly<Record<ErrorStatus, WireCode>> = {
  usage: 'invalid',
  auth: 'unauthorized',
  'not-found': 'not found',
  conflict: 'conflict',
  'needs-approval': 'conflict',
  stale: 'conflict',
  locked: 'conflict',
  cancelled: 'conflict',
  invalid: 'unprocessable entity',
  source: 'unprocessable entity',
  failed: 'internal error',
  target: 'internal error',
  internal: 'internal error',
  unavailable: 'unavailable',
  timeout: 'unavailable',
}
