// Refusals of InfluxDB as errors.
import { Rejected, type SyncError, TargetConflict, Unavailable } from '../../../model/errors.js'
import { isObject, type Json } from '../../../model/json.js'
import { showText } from '../../../lib/text/printable.js'
import { readRetryAfter, type WholeAnswer } from '../../../source/network/whole-request.js'

/** The request that was refused. `now`: for a `Retry-After` date. */
export interface RefusedRequest {
  readonly method: string
  readonly path: string
  readonly target: string
  readonly url: string
  readonly now: number
}

/** There is no such resource. */
export class NotFound extends Rejected {}

/** There is one of that name already, or the label is on the resource already. */
export class Conflict extends TargetConflict {}

const mostMessage = 300
/** The message of InfluxDB for a path that its API does not have. */
const noSuchPath = '404 page not found'
/** InfluxDB answers them as a path that it does not have if the token may not read the organisation. */
const secretsPath = /^\/api\/v2\/orgs\/[^/]+\/secrets\b/

/**
 * `NotFound`, `Conflict` and other `Rejected` for what the server will refuse again; `Unavailable` for its faults, its
 * load, and a token that it does not know.
 */
export function answerError(answer: WholeAnswer, request: RefusedRequest): SyncError {
  const { status, headers, body } = answer
  const { code, message } = refusal(body)
  const { method, path, target } = request
  const what = `${method} ${path.split('?', 1)[0]!}`
  const says = `InfluxDB refused ${what}: ${message === '' ? `status ${status}` : message}`
  if (isPermission(status, code, message)) return noPermission(permissionIn(message) ?? permissionFor(request), target)
  if (status === 401 || status === 403)
    return new Unavailable(`InfluxDB does not accept the token of target ${target}.`, {
      code: 'influxdb/token-refused',
      hint: `Check \`targets.${target}.token\` in the configuration file. The next attempt reads it again.`,
      refusesAccess: true,
    })
  if (status === 404 && code === 'not found' && secretsPath.test(path)) return noPermission('read:orgs', target)
  if (status === 404 && (code !== 'not found' || message === noSuchPath)) return notInfluxdb(what, request)
  if (status === 404) return new NotFound(says, { code: 'influxdb/not-found', hint: 'It was removed meanwhile.' })
  if (status === 409 || (status === 422 && (code === 'conflict' || /already exists/.test(message))))
    return new Conflict(says, { code: 'influxdb/conflict', hint: 'Choose another name, or remove the other one.' })
  if (status === 429 || status === 503) {
    const retryAfterMs = readRetryAfter(headers['retry-after'], request.now)
    return new Unavailable(`InfluxDB has too much to do (${what}: status ${status}).`, {
      code: status === 429 ? 'influxdb/too-many-requests' : 'influxdb/overloaded',
      hint: `If that happens often, lower \`targets.${target}.limits\`.`,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  }
  if (status >= 500)
    return new Unavailable(`InfluxDB failed (${what}): ${message === '' ? `status ${status}` : message}`, {
      code: 'influxdb/server-error',
      hint: 'The fault is on the server: look at its log.',
    })
  if (status >= 300 && status < 400)
    return new Rejected(`${request.url} answers ${what} with a redirect, which gitmoor does not follow.`, {
      code: 'influxdb/redirected',
      hint: `Write the address that it leads to into \`targets.${target}.url\`.`,
    })
  return new Rejected(says, { code: 'influxdb/refused' })
}

/** A proxy, or another server: its 404 says nothing of the resource. */
function notInfluxdb(what: string, { url, target }: RefusedRequest): Unavailable {
  return new Unavailable(`${url} answers ${what} with status 404, but not as InfluxDB's API does.`, {
    code: 'influxdb/no-api',
    hint: `Check \`targets.${target}.url\` in the configuration file: is it the address of an InfluxDB server?`,
  })
}

/** A task that may not be written is a fault of the server in its own words; one that may not be read is not found. */
function isPermission(status: number, code: string, message: string): boolean {
  if (/\b(?:read|write):\S+ is unauthorized/.test(message)) return true
  const isOfTask = (status === 500 && code === 'internal error') || (status === 404 && code === 'not found')
  return isOfTask && /\bunauthorized$/.test(message)
}

/** `write:buckets` of `write:orgs/7ab26ddff6a25b77/buckets is unauthorized`; undefined: the message names none. */
function permissionIn(message: string): string | undefined {
  const named = /\b((?:read|write):\S+) is unauthorized/.exec(message)?.[1]
  return named?.replace(/:orgs\/[^/]+\/(?=.)/, ':')
}

/** `write:tasks` of `POST /api/v2/tasks/0a…/labels`. */
function permissionFor({ method, path }: RefusedRequest): string {
  const type = /^\/api\/v2\/(?:orgs\/[^/?]+\/)?([^/?]+)/.exec(path)?.[1] ?? path
  return `${method === 'GET' ? 'read' : 'write'}:${type}`
}

function noPermission(permission: string, target: string): Rejected {
  return new Rejected(`The token of target ${target} lacks the permission ${permission}.`, {
    code: 'influxdb/no-permission',
    hint: `Give the target a token with this permission: \`targets.${target}.token\` in the configuration file.`,
    refusesAccess: true,
  })
}

function refusal(body: string): { readonly code: string; readonly message: string } {
  const parsed = parse(body)
  const { code, message } = isObject(parsed) ? parsed : {}
  return {
    code: typeof code === 'string' ? code : '',
    message: typeof message === 'string' ? showText(message, mostMessage).replace(/[.\s]+$/, '') : '',
  }
}

function parse(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json
  } catch {
    return undefined
  }
}
