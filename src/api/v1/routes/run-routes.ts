import { z } from '@hono/zod-openapi'
import { answerLines, asksForLines } from '../../server/line-stream.js'
import { addEndpoint, readRequest, type Api } from '../endpoint.js'
import { refuseIfMatch } from '../if-match.js'
import { page } from '../../../views/page.js'
import { pagingShape, wholeNumber } from '../paging.js'
import { optionArguments, overrideShape, toOverride } from '../override-window.js'
import { optionalReason } from '../reason.js'
import { pushBody, toPushedPackage } from '../push-schema.js'
import { requestedSyncsSchema, type RequestedSync } from '../../../views/requested-sync.js'
import {
  phaseSchema,
  runPageSchema,
  runRowSchema,
  outcomeSchema,
  runSchema,
  deletedStackSchema,
  stackRunRowSchema,
  taggedRunSchema,
} from '../../../views/run.js'
import { managedBy, optionalSelector } from '../stack-listing.js'
import { stackParams } from './stack-routes.js'
import { stackSchema } from '../../../views/stack.js'
import { pushPackage } from '../../../stacks/changes/push-package.js'
import { rollBack, unpinStack } from '../../../stacks/pins/pins.js'
import { getRun, listAllRuns, listDeletions, listRuns } from '../../../stacks/queries/queries.js'
import { requestSyncs, type SyncsOptions } from '../../../stacks/runs/request-syncs.js'
import { requestSync } from '../../../stacks/runs/runs.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { strictObject } from '../../../settings/schema/strict-object.js'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import { causeKinds } from '../../../model/stacks/run.js'

const tag = 'runs'
export const below = (verb: string): string => `/api/v1/stacks/{name}/${verb}`

export const runId = z
  .string()
  .regex(/^\d{1,18}$/, 'must be the id of a run.')
  .describe('The id of a run of the stack.')

const waitQuery = z.object({
  waitMs: wholeNumber(0, 60_000).optional().openapi({
    type: 'integer',
    minimum: 0,
    maximum: 60_000,
    description: 'Wait for the end of the run, at most so long.',
  }),
  phase: phaseSchema
    .optional()
    .describe('Also answer when the phase is no longer this one, or when the blockers change.'),
})

const fleet = z.string().min(1).max(63).optional().describe('Only stacks of this fleet.')
const syncsBody = strictObject({ selector: optionalSelector, fleet, ...overrideShape })

/** One document after the slowest poll; with `Accept: application/x-ndjson` a line for each stack as its poll ends. */
function addSyncsRoute(api: Api, call: CallUseCase): void {
  const syncs = {
    method: 'post',
    tag,
    path: '/api/v1/sync',
    operationId: 'syncStacks',
    role: 'approve',
    summary: 'Sync several stacks. Each waits for those that it depends on.',
    description:
      'Answers when the remotes of all stacks were polled. ' +
      'With `Accept: application/x-ndjson`: one line for each stack, a `RequestedSync`, as soon as its run is queued.',
    body: syncsBody,
    answer: requestedSyncsSchema,
  } as const
  const strictQuery = strictObject({})
  api.post(syncs.path, async (c, next) => {
    if (!asksForLines(c)) return next()
    refuseIfMatch(c.req.header('if-match'))
    const { body, by, signal } = await readRequest(c, { body: syncsBody, strictQuery })
    const { selector = [], fleet: of, ...override } = body
    return answerLines(c, async (give) => {
      const given = new Set<string>()
      const giveOnce = (item: RequestedSync): void => {
        if (given.has(item.name)) return
        given.add(item.name)
        give(item)
      }
      const { items } = await call(requestSyncs, selector, by, signal, syncsOptions(override, of), giveOnce)
      items.forEach(giveOnce)
    })
  })
  addEndpoint(api, syncs, ({ body: { selector = [], fleet: of, ...override }, by, signal }) =>
    call(requestSyncs, selector, by, signal, ...optionArguments(syncsOptions(override, of))),
  )
}

function syncsOptions(override: Parameters<typeof toOverride>[0], fleet: string | undefined): SyncsOptions {
  return { ...toOverride(override), ...withoutUndefined({ fleet }) }
}

/** Runs and the history. */
export function addRunRoutes(api: Api, call: CallUseCase): void {
  addSyncRoutes(api, call)
  addRollbackRoutes(api, call)
  addPushRoute(api, call)
  addHistoryRoutes(api, call)
}

const overridingBody = strictObject(overrideShape)

const about = { method: 'post', tag, params: stackParams } as const

function addSyncRoutes(api: Api, call: CallUseCase): void {
  const sync = {
    ...about,
    path: below('sync'),
    operationId: 'syncStack',
    role: 'approve',
    errors: [404, 409, 423, 502, 504],
    ifMatch: 'stack',
    summary: 'Poll the sources, check the target and apply the changes now.',
    description: 'Answers with the queued run; `getRun` waits for its end.',
    body: overridingBody,
    answer: runRowSchema,
  } as const
  addEndpoint(api, sync, ({ params, body, by, signal, precondition }) =>
    call(requestSync, params.name, by, signal, ...optionArguments({ ...toOverride(body), ...precondition })),
  )

  addSyncsRoute(api, call)
}

function addRollbackRoutes(api: Api, call: CallUseCase): void {
  const rollbackBody = strictObject({
    run: runId,
    ...overrideShape,
    why: optionalReason.default(''),
  })
  const rollback = {
    ...about,
    path: below('rollback'),
    operationId: 'rollBackStack',
    role: 'approve',
    errors: [404, 409, 423],
    ifMatch: 'stack',
    summary: 'Roll back to the revision of a run, and pin it.',
    description: 'The stack stays at that revision until it is unpinned.',
    body: rollbackBody,
  } as const
  addEndpoint(api, { ...rollback, answer: taggedRunSchema }, ({ params, body, by, precondition }) => {
    const options = optionArguments({ ...toOverride(body), ...precondition })
    return call(rollBack, params.name, body.run, body.why, by, ...options)
  })

  const unpinned = z.object({
    stack: stackSchema,
    run: z.string().nullable().describe('The id of the run that follows; null: nothing to do.'),
  })
  const unpin = {
    ...about,
    path: below('unpin'),
    operationId: 'unpinStack',
    role: 'approve',
    errors: [404, 409],
    ifMatch: 'stack',
    summary: 'End a rollback: follow the ref again.',
    description: 'A sync applies the newest released revision.',
    body: overridingBody,
    answer: unpinned,
  } as const
  addEndpoint(api, unpin, ({ params, body, by, precondition }) =>
    call(unpinStack, params.name, by, ...optionArguments({ ...toOverride(body), ...precondition })),
  )
}

function addPushRoute(api: Api, call: CallUseCase): void {
  const summary = 'Push the package of a stack with an inline source, and sync.'
  const push = {
    method: 'put',
    path: below('package'),
    operationId: 'pushPackage',
    role: 'admin',
    errors: [404, 409, 423, 502, 504],
    ifMatch: 'stack',
    summary,
    description: 'Replaces the package as a whole. The same package again changes nothing.',
    tag,
    params: stackParams,
    body: pushBody,
    answer: taggedRunSchema,
  } as const
  addEndpoint(api, push, ({ params, body, by, signal, precondition }) =>
    call(pushPackage, params.name, toPushedPackage(body), by, signal, ...optionArguments(precondition)),
  )
}

/** `failed,undone`. */
const outcomeList = z
  .string()
  .max(200)
  .transform((text) => text.split(','))
  .pipe(z.array(outcomeSchema))
  .optional()
  .openapi({ type: 'string', description: 'Only runs that ended in one of these ways: `failed,undone`.' })

/** A time in a query, in milliseconds since the epoch. */
function instant(description: string) {
  return z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .optional()
    .openapi({ type: 'string', format: 'date-time', description })
}

function addHistoryRoutes(api: Api, call: CallUseCase): void {
  const about = { method: 'get', tag } as const
  const history = {
    ...about,
    path: below('runs'),
    operationId: 'listRuns',
    role: 'read',
    errors: [404],
    summary: 'List the runs of a stack, newest first.',
    description: 'Entries have no `plan` and no `problems`.',
    params: stackParams,
  } as const
  addEndpoint(api, { ...history, query: z.object(pagingShape), answer: runPageSchema }, ({ params, query }) =>
    call(listRuns, params.name, query),
  )

  const all = {
    ...about,
    path: '/api/v1/runs',
    operationId: 'listAllRuns',
    role: 'read',
    errors: [404],
    summary: 'List the runs of several stacks, newest first. Filters combine with AND.',
    description: 'Entries have no `plan` and no `problems`. Without filters: the runs of all stacks.',
    query: z.object({
      ...pagingShape,
      selector: optionalSelector,
      managedBy,
      stack: stackParams.shape.name.optional(),
      by: z.string().min(1).max(100).optional().describe('Only runs that this person or program requested.'),
      cause: z.enum(causeKinds).optional().describe('Only runs that were queued for this reason.'),
      outcome: outcomeList,
      since: instant('Only runs that were queued at this time or later: RFC 3339.'),
      until: instant('Only runs that were queued before this time: RFC 3339.'),
    }),
    answer: page(stackRunRowSchema),
  } as const
  addEndpoint(api, all, ({ query: { outcome, ...query } }) =>
    call(listAllRuns, withoutUndefined({ ...query, outcomes: outcome })),
  )

  const deletions = {
    ...about,
    path: '/api/v1/deleted-stacks',
    operationId: 'listDeletions',
    role: 'read',
    summary: 'List deleted stacks, newest first.',
    description:
      'The last 200, each with who deleted it. `GET /api/v1/stacks/{name}/runs` has its runs, by name or id.',
    query: z.object({
      ...pagingShape,
      after: z
        .string()
        .regex(/^\d{1,15}$/)
        .optional()
        .describe('`next` of a page.'),
    }),
    answer: page(deletedStackSchema),
  } as const
  addEndpoint(api, deletions, ({ query }) => call(listDeletions, query))

  const runParams = z.object({ ...stackParams.shape, run: runId })
  const run = {
    ...about,
    path: below('runs/{run}'),
    operationId: 'getRun',
    role: 'read',
    errors: [404],
    summary: 'Get a run, or wait for its end.',
    description: 'With its plan, its problems and, while it is queued, its blockers.',
    params: runParams,
  } as const
  addEndpoint(api, { ...run, query: waitQuery, answer: runSchema }, ({ params, query: { waitMs, phase }, signal }) => {
    if (waitMs === undefined) return call(getRun, params.name, params.run)
    return call(getRun, params.name, params.run, phase === undefined ? { waitMs, signal } : { waitMs, phase, signal })
  })
}
