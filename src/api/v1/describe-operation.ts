// What a route is, and its operation in openapi.json.
import { z, type OpenAPIHono } from '@hono/zod-openapi'
import type { ApiEnv } from '../request-context.js'
import {
  bodyErrors,
  changedResponse,
  commonErrors,
  describeLater,
  type ErrorCode,
  errorResponses,
  tagHeader,
} from './openapi.js'
import type { NeededRole } from './role.js'

/**
 * `path`: in OpenAPI's form (`/stacks/{name}`); an `{address}` at its end may have slashes. `operationId`: a verb and a
 * noun, the name of the function in generated clients; it never changes. `query`, `body`: absent: not read. `status`:
 * of success, default 200. `errors`: the HTTP statuses of its errors, beside those of every request.
 */
export interface Endpoint<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> {
  readonly method: 'get' | 'post' | 'patch' | 'put' | 'delete'
  readonly path: string
  readonly operationId: string
  /** The least role that may call it. */
  readonly role: NeededRole
  readonly summary: string
  /** What the summary leaves out: the effect, the limits, what comes next. */
  readonly description: string
  readonly tag: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** An empty body asks for nothing: the document requires one, although all its properties are optional. */
  readonly isBodyRequired?: true
  readonly status?: 200 | 201
  readonly answer: Answer
  readonly errors?: readonly ErrorCode[]
  /** It changes one stack or one fleet, and checks `If-Match`. */
  readonly ifMatch?: 'stack' | 'fleet'
}

export function describeOperation(
  api: OpenAPIHono<ApiEnv>,
  endpoint: Endpoint<z.ZodObject, z.ZodObject, z.ZodType, z.ZodType>,
): void {
  const { method, path, operationId, role, summary, description, tag, params, query, body, status = 200 } = endpoint
  const { answer, ifMatch, isBodyRequired = false } = endpoint
  const codes = [...commonErrors, ...(endpoint.errors ?? []), ...(body === undefined ? [] : bodyErrors)]
  describeLater(api, role, () => ({
    method,
    path,
    operationId,
    summary,
    description,
    tags: [tag],
    request: {
      ...(params && { params }),
      ...(query && { query }),
      headers: z.object({
        ...(method === 'get' ? {} : callerHeader),
        ...(ifMatch === undefined ? {} : ifMatchHeader(ifMatch)),
      }),
      ...(body && {
        body: {
          required: isBodyRequired || !body.safeParse({}).success,
          content: { 'application/json': { schema: body } },
        },
      }),
    },
    responses: {
      [status]: {
        description: 'Done.',
        ...(hasTag(answer) ? { headers: { ...tagHeader } } : {}),
        content: { 'application/json': { schema: answer } },
      },
      ...errorResponses(codes),
      ...(ifMatch && changedResponse(ifMatch)),
    },
  }))
}

const callerHeader = {
  'X-Gitmoor-By': z
    .string()
    .max(1_200)
    .optional()
    .describe('Your name, for the history, in percent-encoded UTF-8. Default: `api`.'),
}
const ifMatchHeader = (what: 'stack' | 'fleet'): Readonly<Record<string, z.ZodType>> => ({
  'If-Match': z
    .string()
    .optional()
    .describe(`The \`etag\` as you read it. If the ${what} changed: 412, and nothing is done.`),
})

function hasTag(answer: z.ZodType): boolean {
  if (!(answer instanceof z.ZodObject)) return false
  const { etag, stack, fleet } = answer.shape as Readonly<Record<string, z.ZodType | undefined>>
  const tagged = [stack, fleet].some((one) => one instanceof z.ZodObject && 'etag' in one.shape)
  return etag !== undefined || tagged
}
