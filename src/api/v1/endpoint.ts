// Declares a route. Its schemas check the request, type the handler, and describe the route in openapi.json.
import type { OpenAPIHono, z } from '@hono/zod-openapi'
import { toError } from '../../model/errors.js'
import { countProblems, type Problem } from '../../model/problem.js'
import { inSlices, Slices } from '../../lib/async/steps.js'
import { readJsonText, type BadJson } from '../../package/json-text.js'
import { schemaProblems, printPath } from '../../settings/schema/schema-problems.js'
import { strictObject } from '../../settings/schema/strict-object.js'
import type { ApiContext, ApiEnv } from '../request-context.js'
import { bodyText } from '../server/bounded-body.js'
import { HttpRefusal } from '../http-refusal.js'
import type { Precondition } from '../../stacks/stack-tag.js'
import type { View } from '../../views/view.js'
import { answerJson, writeJson } from '../server/json-answer.js'
import { maximumNesting, maximumValues } from '../server/json-limits.js'
import { withOpenCursor, withSealedCursor } from './cursor.js'
import { readIfMatch, refuseIfMatch } from './if-match.js'
import { describeOperation, type Endpoint } from './describe-operation.js'

const slices = new Slices()

export type Api = OpenAPIHono<ApiEnv>

/** A request that matches its schemas. */
export interface CheckedRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly by: string
  readonly signal: AbortSignal
  /** Of `If-Match`; empty without it. */
  readonly precondition: Precondition
}

/** Adds a route. `handle` gives the answer that the schema describes; its errors become error answers. */
export function addEndpoint<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodObject,
>(
  api: Api,
  endpoint: Endpoint<Params, Query, Body, Answer>,
  handle: (request: CheckedRequest<z.output<Params>, z.output<Query>, z.output<Body>>) => Promise<View<Answer>>,
): void {
  describeOperation(api, endpoint)
  const { path, method, status = 200 } = endpoint
  const query = strictObject(endpoint.query?.shape ?? {})
  const isList = 'after' in query.shape
  api.on([method.toUpperCase()], [routePath(path)], async (c) => {
    if (endpoint.ifMatch === undefined && method !== 'get') refuseIfMatch(c.req.header('if-match'))
    const request = await readRequest(c, { ...endpoint, strictQuery: query })
    const answer = await handle(isList ? withOpenCursor(path, request) : request).catch(throwError)
    c.set('run', answeredRun(answer))
    const tag = answeredTag(answer)
    if (tag !== undefined) c.header('ETag', tag)
    const written = isList ? withSealedCursor(path, request, answer) : answer
    return answerJson(c, (pieces) => writeJson(written, pieces), { status, type: 'application/json' })
  })
}

/** As the router has it. An address has any characters. */
export function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1').replace(/:address$/, ':address{[^]+}')
}

/** The tag of the stack or the fleet in an answer. */
function answeredTag(answer: {
  readonly etag?: unknown
  readonly stack?: unknown
  readonly fleet?: unknown
}): string | undefined {
  const { stack, fleet = stack, etag } = answer
  const tag = typeof fleet === 'object' && fleet !== null && 'etag' in fleet ? fleet.etag : etag
  return typeof tag === 'string' ? tag : undefined
}

/** The id of the run in an answer, for the log. */
function answeredRun(answer: {
  readonly run?: unknown
  readonly outcome?: unknown
  readonly id?: unknown
}): string | undefined {
  const run = typeof answer.run === 'object' && answer.run !== null && 'id' in answer.run ? answer.run.id : answer.run
  const id = answer.outcome === undefined ? run : answer.id
  return typeof id === 'string' ? id : undefined
}

/** The framework's error handler only gets instances of Error. */
function throwError(error: unknown): never {
  throw toError(error)
}

/** Checks a request against the schemas. Errors: `HttpRefusal` with all problems. */
export async function readRequest<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  c: ApiContext,
  endpoint: Pick<Endpoint<Params, Query, Body, z.ZodType>, 'params' | 'query' | 'body' | 'ifMatch'> & {
    readonly strictQuery: z.ZodType
  },
): Promise<CheckedRequest<z.output<Params>, z.output<Query>, z.output<Body>>> {
  const problems: Problem[] = []
  const params = check(endpoint.params, c.req.param(), problems)
  const query = check(endpoint.strictQuery, readQuery(c, problems), problems)
  const http = problems.length > 0 ? 400 : 422
  const body = endpoint.body && (await readBody(c, endpoint.body, problems))
  if (problems.length > 0) throw invalidRequest(http, problems)
  const precondition = endpoint.ifMatch === undefined ? {} : readIfMatch(c.req.header('if-match'))
  return { params, query, body, by: c.get('by'), signal: c.get('signal'), precondition } as CheckedRequest<
    z.output<Params>,
    z.output<Query>,
    z.output<Body>
  >
}

/** Refuses unknown and repeated parameters: a typo (`uninstal=…`) must not change the meaning of a request. */
function readQuery(c: ApiContext, problems: Problem[]): object {
  const query = new Map<string, string>()
  for (const [name, value] of new URL(c.req.url).searchParams) {
    if (query.has(name))
      problems.push({
        severity: 'error',
        code: 'api/duplicate',
        message: `"${printPath([name])}" is repeated.`,
        field: printPath([name]),
      })
    query.set(name, value)
  }
  return Object.fromEntries(query)
}

async function readBody(c: ApiContext, schema: z.ZodType, problems: Problem[]): Promise<unknown> {
  const json = await readJson(c)
  await slices.afterStep() // checking many values takes as long as reading them
  return check(schema, json, problems)
}

/** The body as JSON. An empty body is an empty object. */
async function readJson(c: ApiContext): Promise<unknown> {
  const text = bodyText(c)
  if (text === '') return {}
  if (!/^application\/json *(;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new HttpRefusal(415, 'The Content-Type is not JSON.', {
      code: 'api/content-type',
      hint: 'Send `Content-Type: application/json`.',
    })
  }
  const limits = { depth: maximumNesting, values: maximumValues, wellFormed: true }
  const read = await inSlices(readJsonText(text, limits), c.get('signal'))
  if ('reason' in read) throw badJson(read)
  return read.value
}

/** The problem of a body that is not valid JSON, with its field. */
function badJson({ code, reason, path }: BadJson): HttpRefusal {
  if (code === 'too-large')
    return new HttpRefusal(400, `The body has more than ${maximumValues} values.`, { code: 'api/too-many-values' })
  if (code === 'depth')
    return new HttpRefusal(400, `The body nests lists and maps more than ${maximumNesting} deep.`, {
      code: 'api/too-deep',
    })
  const field = printPath(path)
  const isTwice = code === 'duplicate-key'
  const where = field === '' ? '' : ` "${field}":`
  const message = isTwice ? `The body repeats the key "${field}".` : `The body is not valid JSON:${where} ${reason}.`
  const found = isTwice ? 'api/duplicate' : 'api/malformed-json'
  const problems: readonly Problem[] = path.length === 0 ? [] : [{ severity: 'error', code: found, message, field }]
  return new HttpRefusal(400, message, { code: found, problems })
}

function check(schema: z.ZodType | undefined, value: unknown, problems: Problem[]): unknown {
  const result = schema?.safeParse(value, { reportInput: true })
  if (result === undefined || result.success) return result?.data
  for (const { path, message, unknownKey, more } of schemaProblems(result.error)) {
    const counted = more === undefined ? {} : { more }
    problems.push({
      severity: 'error',
      code: unknownKey ? 'api/unknown-key' : 'api/invalid',
      message,
      field: printPath(path),
      ...counted,
    })
  }
  return undefined
}

function invalidRequest(http: 400 | 422, problems: readonly Problem[]): HttpRefusal {
  const count = countProblems(problems)
  const message = count === 1 ? problems[0]!.message : `The request has ${count} problems.`
  return new HttpRefusal(http, message, { code: 'api/invalid', problems })
}
