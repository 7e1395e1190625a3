// api: the HTTP API. Takes the use cases; gives a fetch-style handler for /api/v1 (described by /api/v1/openapi.json),
// for webhooks, for /healthz, /readyz and /metrics, and for the routes of extensions.
// Promises: requests need the token and an allowed Host header (health checks need neither, webhooks a signature);
// bodies and lists are limited; all errors have one shape, on the paths of an extension its own.
import { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { describeError } from '../model/errors.js'
import { printable, shortened, mostShown } from '../lib/text/printable.js'
import { Slices } from '../lib/async/steps.js'
import { readCaller, assignRequestId, assignSignal, type ApiContext, type ApiEnv } from './request-context.js'
import { addBackupRoute, type BackupCreator } from './v1/routes/backup-routes.js'
import { bodyLimits, readBodies, type BodyLimits } from './server/bounded-body.js'
import { requireToken, requireKnownHost } from './server/access.js'
import { addBulkRoute } from './v1/routes/bulk-routes.js'
import { addChannelRoutes } from './v1/routes/channel-routes.js'
import { concurrencyLimits, limitConcurrency, type ConcurrencyLimits } from './server/concurrency-limit.js'
import type { Api } from './v1/endpoint.js'
import { PreconditionFailed, withCurrentStack } from './v1/if-match.js'
import { printDocument } from './v1/openapi.js'
import { addEventRoutes } from './v1/routes/event-routes.js'
import { streamLimits, type StreamLimits } from './server/event-stream.js'
import { toErrorAnswer } from './error-answer.js'
import type { ApiExtension, ErrorResponse } from './api-extension.js'
import { addDiscoverRoute } from './v1/routes/discover-routes.js'
import { addConfigurationRoute } from './v1/routes/configuration-routes.js'
import { addDoctorRoutes } from './v1/routes/doctor-routes.js'
import { addExplainRoutes } from './v1/routes/explain-routes.js'
import { addExportRoute } from './v1/routes/export-routes.js'
import { addFleetRoutes } from './v1/routes/fleet-routes.js'
import { addImportRoutes } from './v1/routes/import-routes.js'
import { addHealthRoutes } from './health-routes.js'
import { transferJson } from './server/json-transfer.js'
import { addReceiverRoutes, receiverLimits, type ReceiverLimits } from './webhook-receiver.js'
import { UnknownRoute, RateLimited, MethodNotAllowed, allowedMethods } from './http-refusal.js'
import { addMetricsRoute, type Metrics } from './metrics-route.js'
import { addOwnershipRoutes } from './v1/routes/ownership-routes.js'
import { addResourceRoutes } from './v1/routes/resource-routes.js'
import { addOverviewRoutes } from './v1/routes/overview-routes.js'
import { addPlanRoutes } from './v1/routes/plan-routes.js'
import { addPromotionPreviewRoutes } from './v1/routes/promotion-routes.js'
import { addRunDetailRoutes } from './v1/routes/run-detail-routes.js'
import { addRunRoutes } from './v1/routes/run-routes.js'
import { addSessionRoutes, addSignInCodeRoute, authenticateSession } from './v1/routes/session-routes.js'
import { addTargetRoutes } from './v1/routes/target-routes.js'
import { addStackRoutes } from './v1/routes/stack-routes.js'
import { addNotificationRoutes } from './v1/routes/notification-routes.js'
import { addWebhookRoutes } from './v1/routes/webhook-routes.js'
import type { Sessions } from './session/sessions.js'
import type { PageFiles } from '../page/page.js'
import type { CallUseCase } from '../webhooks/call-use-case.js'

/** Messages are fixed; facts are fields. */
export interface ApiLog {
  debug(message: string, facts: object): void
  info(message: string, facts: object): void
  error(message: string, facts: object): void
}

export interface ApiOptions {
  /** Calls a use case of the agent. */
  readonly call: CallUseCase
  /** Requests that need the token wait for it: before, stacks of the configuration file may be missing. */
  readonly started?: Promise<void>
  /** Absent: no backups. */
  readonly backups?: BackupCreator
  /** How long a client may pause while it downloads a backup. Default 30,000. */
  readonly backupStallMs?: number
  /** `digestToken(token)` of the admin token. */
  readonly tokenDigest: Uint8Array
  /** Allowed Host headers besides loopback names: `name` (any port) or `name:port`. Includes the listen address. */
  readonly hosts: readonly string[]
  readonly version: string
  /** Sessions of the page. Absent: requests need the token. */
  readonly sessions?: Sessions
  /** Absent: no page. */
  readonly page?: PageFiles
  /** Default: none. */
  readonly extensions?: readonly ApiExtension[]
  /** Absent: no route for metrics. */
  readonly metrics?: Metrics
  readonly log?: ApiLog
  /** Default: `streamLimits`. */
  readonly streams?: Partial<StreamLimits>
  /** Default: `bodyLimits`. */
  readonly bodies?: Partial<BodyLimits>
  /** Default: `receiverLimits`. */
  readonly receiver?: Partial<ReceiverLimits>
  /** Called with the name of each request; disposed when it ends. */
  readonly during?: (request: string) => Disposable
  /** Default: `concurrencyLimits`. */
  readonly concurrency?: ConcurrencyLimits
}

/** Starts each of many simultaneous requests in its own slice of the event loop. */
function waitForSlice(): MiddlewareHandler<ApiEnv> {
  const slices = new Slices()
  return async (_c, next) => {
    await slices.afterStep()
    await next()
  }
}

function waitForStart(started: Promise<void> | undefined): MiddlewareHandler<ApiEnv> {
  return async (_c, next) => {
    await started
    await next()
  }
}

/** The HTTP API. It never throws: errors become answers. */
export function createApi(options: ApiOptions): Api {
  const api = new OpenAPIHono<ApiEnv>()
  const call = withCurrentStack(options.call)
  const { extensions = [], sessions } = options
  api.onError((error, c) => sendError(error, c, options))
  api.use(securityHeaders, cancelBodyOfHead, assignRequestId, logRequest(options))
  addHealthRoutes(api, options.call)
  api.use(limitConcurrency(options.concurrency ?? concurrencyLimits))
  api.use(waitForSlice(), assignSignal)
  api.use(requireKnownHost(options.hosts))
  for (const extension of extensions) extension.addPublicRoutes(api, options.call, options.version)
  addReceiverRoutes(api, options.call, { ...receiverLimits, ...options.receiver })
  if (options.metrics?.public === true) addMetricsRoute(api, options.metrics)
  if (sessions !== undefined) addSessionRoutes(api, { ...options, sessions })
  if (options.page !== undefined) {
    const isOfApi = (path: string): boolean =>
      /^\/api(\/|$)/.test(path) ||
      extensions.some((one) => one.owns(path)) ||
      allowedMethods(api.routes, path).length > 0
    api.use(servePage(options.page, isOfApi))
  }
  api.use(
    requireToken(options.tokenDigest, sessions && authenticateSession(sessions)),
    readCaller,
    waitForStart(options.started),
  )
  if (options.metrics?.public === false) addMetricsRoute(api, options.metrics)
  const takesPackages = (path: string): boolean => extensions.some((one) => one.takesPackages(path))
  api.use(readBodies({ ...bodyLimits, ...options.bodies }, takesPackages))
  api.use('/api/v1/*', transferJson)
  addOverviewRoutes(api, call)
  addBulkRoute(api, call)
  addImportRoutes(api, call)
  addStackRoutes(api, call)
  addFleetRoutes(api, call)
  addDiscoverRoute(api, call)
  addOwnershipRoutes(api, call)
  addExplainRoutes(api, call)
  addDoctorRoutes(api, call)
  addConfigurationRoute(api, call)
  addPlanRoutes(api, call)
  addRunRoutes(api, call)
  addRunDetailRoutes(api, call)
  addChannelRoutes(api, call)
  addPromotionPreviewRoutes(api, call)
  addWebhookRoutes(api, call)
  addNotificationRoutes(api, call)
  addEventRoutes(api, call, { ...streamLimits, ...options.streams })
  addTargetRoutes(api, call)
  addResourceRoutes(api, call)
  addExportRoute(api, call)
  for (const extension of extensions) extension.addRoutes(api, options.call)
  if (sessions !== undefined) addSignInCodeRoute(api, sessions)
  if (options.backups !== undefined) addBackupRoute(api, options.backups, options.backupStallMs)
  addDescription(api, options)
  api.notFound((c) => sendNoRoute(api, c, options))
  return api
}

const securityHeaders: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next()
  if (c.get('isPage') === true) return // it has its own
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('Cache-Control', 'no-store')
  c.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'")
  c.header('Cross-Origin-Resource-Policy', 'same-origin')
  c.header('Referrer-Policy', 'no-referrer')
}

/** Answers GET of the files and views of the page, and of addresses that people type and nothing has. */
function servePage(page: PageFiles, isOfApi: (path: string) => boolean): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const header = (name: string): string => c.req.header(name) ?? ''
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    const { path } = c.req
    if (!isRead) return next()
    const file = page.answer({ path, acceptEncoding: header('accept-encoding'), ifNoneMatch: header('if-none-match') })
    const isTyped = header('sec-fetch-mode') === 'navigate' && header('accept').includes('text/html')
    const answer = file ?? (isTyped && !isOfApi(path) ? page.notFound() : undefined)
    if (answer === undefined) return next()
    c.set('isPage', true)
    return new Response(answer.body, answer)
  }
}

/** The framework sends the headers of GET, and drops the body without ending it: streams would stay open. */
const cancelBodyOfHead: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next()
  if (c.req.method === 'HEAD') await c.res.body?.cancel()
}

/** Requests that may change something are logged as info, others as debug. */
function logRequest({ log, during }: Pick<ApiOptions, 'log' | 'during'>): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const began = performance.now()
    using _request = during?.(shortened(printable(`${c.req.method} ${c.req.path}`), mostShown))
    await next()
    const by = c.get('by')
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD' || by === undefined
    const { method, path } = c.req
    const facts = { method, path, status: c.res.status, by, requestId: c.get('requestId'), run: c.get('run') }
    log?.[isRead ? 'debug' : 'info']('request', { ...facts, ms: Math.round(performance.now() - began) })
  }
}

type ErrorOptions = Pick<ApiOptions, 'log' | 'extensions'>

function sendError(error: unknown, c: ApiContext, { log, extensions = [] }: ErrorOptions): Response {
  const answer = toErrorAnswer(error)
  const { body } = answer
  if (body.status === 'internal' && c.get('signal')?.aborted !== true) {
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
  if (error instanceof RateLimited) c.header('Retry-After', String(Math.ceil(error.waitMs / 1000)))
  if (body.code === 'api/overloaded') c.header('Connection', 'close')
  if (body.code === 'api/token') c.header('WWW-Authenticate', 'Bearer realm="gitmoor"')
  if (error instanceof MethodNotAllowed) c.header('Allow', error.allowed.join(', '))
  const extension = extensions.find((one) => one.owns(c.req.path))
  if (extension !== undefined) return sendExtensionError(extension.toResponse(error, answer), c)
  const current = error instanceof PreconditionFailed ? { current: error.current } : {}
  if (error instanceof PreconditionFailed) c.header('ETag', error.current.etag)
  const json = { error: { ...body, requestId: c.get('requestId') }, ...current }
  return c.body(JSON.stringify(json), answer.http as 400, { 'Content-Type': 'application/json' })
}

function sendExtensionError({ http, headers, body }: ErrorResponse, c: ApiContext): Response {
  return c.body(JSON.stringify(body), http as 400, {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
  })
}

function sendNoRoute(api: Api, c: ApiContext, options: ErrorOptions): Response {
  const allowed = allowedMethods(api.routes, c.req.path)
  return sendError(allowed.length > 0 ? new MethodNotAllowed(c.req.method, allowed) : new UnknownRoute(), c, options)
}

function addDescription(api: Api, { version, extensions = [] }: Pick<ApiOptions, 'version' | 'extensions'>): void {
  let text: string | undefined
  api.get('/api/v1/openapi.json', (c) => {
    text ??= printDocument(api, version, extensions.find(({ examples }) => examples !== undefined)?.examples)
    return c.body(text, 200, { 'Content-Type': 'application/json' })
  })
}
