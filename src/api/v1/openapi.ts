// What the operations of openapi.json share: their errors, names, headers, tags and examples.
import type { OpenAPIHono, RouteConfig } from '@hono/zod-openapi'
import type { ApiEnv } from '../request-context.js'
import { errorAnswerSchema, fleetChangedSchema, stackChangedSchema } from '../../views/errors/error.js'
import type { NeededRole } from './role.js'
import { examplesWith, type ExampleNames } from './examples/examples.js'

const errors = {
  400: ['BadRequest', 'A parameter, a header or the body is not valid, or names a source that is not allowed.'],
  401: ['Unauthorized', 'The token is missing or wrong.'],
  404: ['NotFound', 'It does not exist.'],
  408: ['RequestTimeout', 'The body did not arrive in time.'],
  409: ['Conflict', 'The state does not allow it, a plan is stale, or approval is needed: see `status`.'],
  413: ['BodyTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'The body is not JSON, or its encoding is not gzip.'],
  421: ['UnknownHost', 'The `Host` header is not allowed.'],
  422: ['Invalid', 'The body or the package has problems, or the run failed.'],
  423: ['Locked', 'The stack is suspended.'],
  429: ['TooManyRequests', 'Too many requests.'],
  500: ['InternalError', 'A fault in gitmoor. The log of the agent has details, by `requestId`.'],
  502: ['BadGateway', 'The source or the target refused, or is unreachable.'],
  503: ['Unavailable', 'The agent is busy, stopping, or cannot write.'],
  504: ['Timeout', 'It took too long.'],
} as const

/** An HTTP status of an error. */
export type ErrorCode = keyof typeof errors

/** Errors of every request that needs the token, and of those with a body. */
export const commonErrors = [400, 401, 421, 500, 503] as const
export const bodyErrors = [413, 415, 422] as const

const waitHeader = { 'Retry-After': header('Seconds to wait before a retry.') }
const headersOf: { readonly [Code in ErrorCode]?: object } = {
  401: { 'WWW-Authenticate': header('`Bearer realm="gitmoor"`.') },
  429: waitHeader,
  503: waitHeader,
}

export const tagHeader = { ETag: header('The tag of the stack or the fleet, for `If-Match`.') }

function header(description: string): { readonly description: string; readonly schema: { readonly type: 'string' } } {
  return { description, schema: { type: 'string' } }
}

/** The responses of an operation with these errors. */
export function errorResponses(codes: readonly ErrorCode[]): Readonly<Record<string, { readonly $ref: string }>> {
  return Object.fromEntries(
    [...new Set(codes)].map((code) => [String(code), { $ref: `#/components/responses/${errors[code][0]}` }]),
  )
}

/** The responses 412, and their schemas. */
const changedNames = { stack: 'StackChanged', fleet: 'FleetChanged' } as const

/** The response 412 of an operation that checks `If-Match`. */
export function changedResponse(what: 'stack' | 'fleet'): Readonly<Record<412, { readonly $ref: string }>> {
  return { 412: { $ref: `#/components/responses/${changedNames[what]}` } }
}

const tags = {
  stacks: 'Create, change, suspend, explain and delete stacks.',
  fleets: 'One stack for each directory of a repository.',
  runs: 'Plan, sync, approve, roll back; the history.',
  channels: 'Refs that stacks follow: moves, vetoes, pins, promotions.',
  resources: 'Resources on targets.',
  targets: 'The declared targets.',
  webhooks: 'Senders that report changes, and their deliveries.',
  notifications: 'Receivers of notifications and commit statuses, and their messages.',
  events: 'What happens, as it happens.',
  doctor: 'Problems of the agent and what to do about them.',
  backup: 'Copies of the database.',
  configuration: 'The configuration of the agent.',
  session: 'Sign-in of the page.',
  health: 'Probes and metrics.',
}

const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

const about = `Requests need the token of the agent and an allowed \`Host\`. Every error has one shape; decide by
\`status\` and \`code\`. Lists answer \`{items, next}\`: pass \`next\` as \`after\` for the next page, with the same
filters. Fields may be added to answers; existing ones never change. \`x-role\` is the least role that an operation needs:
\`read\`, \`approve\` or \`admin\`; \`none\`: it needs no token. The token has all roles.`

interface Operation {
  readonly operationId?: string
  readonly requestBody?: { readonly content: Content }
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>
}
type Content = Record<string, { schema?: Schema }>
interface Schema {
  readonly $ref?: string
  readonly properties?: { readonly items?: { readonly items?: Schema }; readonly next?: Schema }
}

/** Of operations. Few agents are asked for the document: they are made for its first reader. */
const descriptions = new WeakMap<OpenAPIHono<ApiEnv>, (() => RouteConfig)[]>()

/** Adds an operation to the document. `role`: the least one that may call it, `x-role` there. */
export function describeLater(api: OpenAPIHono<ApiEnv>, role: NeededRole, describe: () => RouteConfig): void {
  const withRole = (): RouteConfig => ({ ...describe(), 'x-role': role })
  const before = descriptions.get(api)
  if (before === undefined) descriptions.set(api, [withRole])
  else before.push(withRole)
}

/** The text of the document. */
export function printDocument(api: OpenAPIHono<ApiEnv>, version: string, names: ExampleNames | undefined): string {
  registerShared(api)
  for (const describe of descriptions.get(api) ?? []) api.openAPIRegistry.registerPath(describe())
  const examples = examplesWith(names)
  const { webhooks: _none, ...document } = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'gitmoor',
      version,
      description: about.replaceAll('\n', ' '),
      license,
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  })
  const schemas = (document.components?.schemas ?? {}) as Record<string, object>
  for (const methods of Object.values(document.paths ?? {}))
    for (const operation of Object.values(methods as object)) nameSchemas(operation as Operation, schemas)
  for (const [name, schema] of Object.entries(schemas))
    if (Object.hasOwn(examples, name)) schemas[name] = { ...schema, examples: [examples[name]] }
  return JSON.stringify(document, withPlainReference)
}

/** A reference and its description, `allOf: [{$ref}, {description}]`, as `{$ref, description}`. */
function withPlainReference(_key: string, value: unknown): unknown {
  const { allOf } = (value ?? {}) as { readonly allOf?: readonly object[] }
  const merged = Object.assign({}, ...(allOf ?? [])) as object
  return Object.keys(merged).sort().join() === '$ref,description' ? merged : value
}

function registerShared({ openAPIRegistry: registry }: OpenAPIHono<ApiEnv>): void {
  registry.register('Error', errorAnswerSchema)
  registry.register('StackChanged', stackChangedSchema)
  registry.register('FleetChanged', fleetChangedSchema)
  const description = 'The token in `token` and `agent.json` of the data directory.'
  registry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer', description })
  registry.registerComponent('headers', 'RequestId', header('The id of the request, as in the log of the agent.'))
  const add = (name: string, meaning: string, schema: string, headers: object = {}): void => {
    registry.registerComponent('responses', name, {
      description: meaning,
      headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' }, ...headers },
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
    })
  }
  for (const [code, [name, meaning]] of Object.entries(errors))
    add(name, meaning, 'Error', headersOf[Number(code) as ErrorCode])
  for (const [what, name] of Object.entries(changedNames))
    add(name, `The ${what} changed: \`If-Match\` does not match. \`current\` is the ${what} now.`, name, {
      ETag: header('The tag of `current`.'),
    })
}

/** Makes components of the body and the answers: `SuspendStackRequest`, `CreateStackAnswer`, `RunRowPage`. */
function nameSchemas(
  { operationId = '', requestBody, responses = {} }: Operation,
  schemas: Record<string, object>,
): void {
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  hoist(requestBody?.content, `${name}Request`, `The body of \`${operationId}\`.`, schemas)
  for (const { content } of Object.values(responses)) {
    const { items, next } = content?.['application/json']?.schema?.properties ?? {}
    const item = next === undefined ? undefined : items?.items?.$ref
    if (item === undefined) hoist(content, `${name}Answer`, `The answer of \`${operationId}\`.`, schemas)
    else
      hoist(
        content,
        `${item.slice(item.lastIndexOf('/') + 1)}Page`,
        'One page of a list. `next`: the `after` of the next page; null: this is the last one.',
        schemas,
      )
  }
}

function hoist(content: Content | undefined, name: string, description: string, schemas: Record<string, object>): void {
  const json = content?.['application/json']
  if (json?.schema === undefined || json.schema.$ref !== undefined) return
  schemas[name] = { description, ...json.schema }
  json.schema = { $ref: `#/components/schemas/${name}` }
}
