// api: the HTTP server. Takes the verbs; gives a fetch-style handler for /api/v1, which /api/v1/openapi.json describes,
// for the InfluxDB API under /api/v2 (v2/v2.ts), and for /healthz, /readyz and /metrics.
// Promises: every route but the health routes needs a known Host and the token (/metrics unless the configuration says
// otherwise); bodies and lists are bounded; every error has one shape, under /api/v2 that of InfluxDB.
import { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { describeError } from '../model/errors.js'
import { printable, shortened } from '../model/printable.js'
import { mostShown } from '../model/show-text.js'
import { Turns } from '../model/turns.js'
import type { Verbs } from '../stacks/verbs.js'
import { nameCaller, nameRequest, type ApiContext, type ApiEnv } from './asked.js'
import { addBackupRoute, type Backups } from './backup-routes.js'
import { bodyLimits, readBodies, type BodyLimits } from './bounded-body.js'
import { bearerToken } from './bearer-token.js'
import { addChannelRoutes } from './channel-routes.js'
import { crowdLimits, refuseCrowd, type CrowdLimits } from './crowd.js'
import type { Api } from './endpoint.js'
import { addEventRoutes } from './event-routes.js'
import { streamLimits, type StreamLimits } from './event-stream.js'
import { answerError, type ErrorAnswer } from './error-answer.js'
import { addDiscoverRoute } from './discover-routes.js'
import { addDoctorRoutes } from './doctor-routes.js'
import { addExplainRoutes } from './explain-routes.js'
import { addExportRoute } from './export-routes.js'
import { addHealthRoutes } from './health-routes.js'
import { addHookRoutes, hookLimits, type HookLimits } from './hook-routes.js'
import { NoRoute, TooMany, WrongMethod } from './http-refusal.js'
import { knownHost } from './known-host.js'
import { addMetricsRoute, type Metrics } from './metrics-route.js'
import { allowedMethods } from './allowed-methods.js'
import { addOwnershipRoutes } from './ownership-routes.js'
import { addResourceRoutes } from './resource-routes.js'
import { addRunRoutes } from './run-routes.js'
import { addStackRoutes } from './stack-routes.js'
import { addProbeRoutes, nameBuild } from './v2/instance-routes.js'
import { addWebhookRoutes } from './webhook-routes.js'
import { addWireRoutes } from './v2/v2.js'
import { codeHeader, wireErrorOf } from './v2/wire-error.js'

/** A fixed message, and facts as fields. */
export interface ApiLog {
  debug(message: string, facts: object): void
  info(message: string, facts: object): void
  error(message: string, facts: object): void
}

export interface ApiOptions {
  readonly verbs: Verbs
  /** Absent: none can be had. */
  readonly backups?: Backups
  /** How long a reader may take nothing of a backup. Default 30,000. */
  readonly backupStallMs?: number
  /** Of the admin token: `digestToken(token)`. */
  readonly tokenDigest: Uint8Array
  /**
   * Names under which it is asked, beside loopback ones: `name` (any port) or `name:port`. The listen address belongs
   * here.
   */
  readonly hosts: readonly string[]
  readonly version: string
  /** Absent: there is no route for them. */
  readonly metrics?: Metrics
  readonly log?: ApiLog
  /** What is absent is as in `streamLimits`. */
  readonly streams?: Partial<StreamLimits>
  /** What is absent is as in `bodyLimits`. */
  readonly bodies?: Partial<BodyLimits>
  /** What is absent is as in `hookLimits`. */
  readonly hooks?: Partial<HookLimits>
  /** Names a request while it is in progress. */
  readonly during?: (request: string) => Disposable
  /** Default: `crowdLimits`. */
  readonly crowd?: CrowdLimits
}

/** Of requests that arrive together, each is begun in a slice of the event loop. */
function waitForTurn(): MiddlewareHandler<ApiEnv> {
  const turns = new Turns()
  return async (_c, next) => {
    await turns.took()
    await next()
  }
}

/** The whole HTTP API. Errors never leave it: they become answers. */
export function createApi(options: ApiOptions): Api {
  const api = new OpenAPIHono<ApiEnv>()
  api.onError((error, c) => answer(error, c, options.log))
  api.use(securityHeaders, nameRequest, noteRequest(options))
  addHealthRoutes(api, options.verbs)
  api.use(refuseCrowd(options.crowd ?? crowdLimits))
  api.use(waitForTurn())
  api.use(knownHost(options.hosts))
  api.use('/api/v2/*', nameBuild(options.version))
  api.use('/ping', nameBuild(options.version))
  api.use('/health', nameBuild(options.version))
  addHookRoutes(api, options.verbs, { ...hookLimits, ...options.hooks })
  addProbeRoutes(api, options.verbs, options.version)
  if (options.metrics?.public === true) addMetricsRoute(api, options.metrics)
  api.use(bearerToken(options.tokenDigest), nameCaller)
  if (options.metrics?.public === false) addMetricsRoute(api, options.metrics)
  api.use(readBodies({ ...bodyLimits, ...options.bodies }))
  addStackRoutes(api, options.verbs)
  addDiscoverRoute(api, options.verbs)
  addOwnershipRoutes(api, options.verbs)
  addExplainRoutes(api, options.verbs)
  addDoctorRoutes(api, options.verbs)
  addRunRoutes(api, options.verbs)
  addChannelRoutes(api, options.verbs)
  addWebhookRoutes(api, options.verbs)
  addEventRoutes(api, options.verbs, { ...streamLimits, ...options.streams })
  addResourceRoutes(api, options.verbs)
  addExportRoute(api, options.verbs)
  addWireRoutes(api, options.verbs)
  if (options.backups !== undefined) addBackupRoute(api, options.backups, options.backupStallMs)
  addDescription(api, options.version)
  api.notFound((c) => refuseRoute(api, c, options.log))
  return api
}

const securityHeaders: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next()
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('Cache-Control', 'no-store')
  c.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  c.header('Cross-Origin-Resource-Policy', 'same-origin')
  c.header('Referrer-Policy', 'no-referrer')
}

/** What may change something is told to everybody, the rest to who hunts a fault. */
function noteRequest({ log, during }: Pick<ApiOptions, 'log' | 'during'>): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const began = performance.now()
    using _request = during?.(shortened(printable(`${c.req.method} ${c.req.path}`), mostShown))
    await next()
    const by = c.get('by')
    const only = c.req.method === 'GET' || c.req.method === 'HEAD' || by === undefined
    const { method, path } = c.req
    const facts = { method, path, status: c.res.status, by, requestId: c.get('requestId'), run: c.get('run') }
    log?.[only ? 'debug' : 'info']('request', { ...facts, ms: Math.round(performance.now() - began) })
  }
}

function answer(error: unknown, c: ApiContext, log: ApiLog | undefined): Response {
  const told = answerError(error)
  const { body } = told
  if (body.status === 'internal' && !c.get('signal').aborted) {
    const stack = error instanceof Error ? error.stack : undefined
    log?.error('request failed', {
      requestId: c.get('requestId'),
      method: c.req.method,
      path: c.req.path,
      error: describeError(error),
      stack,
    })
  }
  if (body.status === 'unavailable') c.header('Retry-After', '1')
  if (error instanceof TooMany) c.header('Retry-After', String(Math.ceil(error.waitMs / 1000)))
  if (body.code === 'api/crowded') c.header('Connection', 'close')
  if (body.code === 'api/token') c.header('WWW-Authenticate', 'Bearer realm="gitmoor"')
  if (error instanceof WrongMethod) c.header('Allow', error.allowed.join(', '))
  if (/^\/api\/v2(?:\/|$)/.test(c.req.path)) return answerAsReference(error, c, told)
  return c.body(JSON.stringify({ error: { ...body, requestId: c.get('requestId') } }), told.http as 400, {
    'Content-Type': 'application/json',
  })
}

function answerAsReference(error: unknown, c: ApiContext, told: ErrorAnswer): Response {
  const { http, code, body } = wireErrorOf(error, told)
  return c.body(JSON.stringify(body), http as 400, {
    'Content-Type': 'application/json; charset=utf-8',
    [codeHeader]: code,
  })
}

function refuseRoute(api: Api, c: ApiContext, log: ApiLog | undefined): Response {
  const allowed = allowedMethods(api.routes, c.req.path)
  return answer(allowed.length > 0 ? new WrongMethod(c.req.method, allowed) : new NoRoute(), c, log)
}

function addDescription(api: Api, version: string): void {
  api.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' })
  let text: string | undefined
  api.get('/api/v1/openapi.json', (c) => {
    text ??= JSON.stringify(
      api.getOpenAPI31Document({
        openapi: '3.1.0',
        info: { title: 'gitmoor', version, description: 'Keeps platforms moored to git.' },
        security: [{ token: [] }],
      }),
    )
    return c.body(text, 200, { 'Content-Type': 'application/json' })
  })
}
