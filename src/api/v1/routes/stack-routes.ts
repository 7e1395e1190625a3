import { z } from '@hono/zod-openapi'
import {
  stackDocument,
  stackPatchDocument,
  toStackPatch,
  toStackSpec,
} from '../../../settings/documents/stack-document.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { optionArguments, toOverride, overrideQuery } from '../override-window.js'
import { errorBodySchema } from '../../../views/errors/error.js'
import { fieldChangeSchema, planSchema } from '../../../views/plan.js'
import { uninstallDigest } from '../plan-digest.js'
import { reason } from '../reason.js'
import { runSchema } from '../../../views/run.js'
import { toStackListing, stackListingSchema } from '../stack-listing.js'
import { stackPageSchema, stackSchema } from '../../../views/stack.js'
import { createStack, deleteStack, previewCreate, resumeStack, suspendStack } from '../../../stacks/changes/changes.js'
import { previewUpdate, updateStack } from '../../../stacks/changes/update-stack.js'
import { awaitedStates } from '../../../model/stacks/stack.js'
import { getStack, listStacks } from '../../../stacks/queries/queries.js'
import { cancelRun } from '../../../stacks/runs/runs.js'
import { waitForStack } from '../../../stacks/runs/wait-for-stack.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { suspensionRange, waitRange } from '../../../settings/schema/interval.js'
import { mostNameCharacters } from '../../../settings/setting-forms.js'
import { strictObject } from '../../../settings/schema/strict-object.js'

const tag = 'stacks'

export const stackParams = z.object({
  name: z.string().min(1).max(mostNameCharacters).describe('Name or id of the stack.'),
})

const suspendBody = strictObject({
  why: reason,
  forMs: z
    .int()
    .min(suspensionRange.least)
    .max(suspensionRange.most)
    .optional()
    .describe('Milliseconds until it resumes by itself; absent: it does not.'),
})

const waitBody = strictObject({
  revision: z
    .string()
    .min(7)
    .max(300)
    .optional()
    .describe('The revision to wait for, or its first 7 characters; absent: the newest.'),
  for: z
    .enum(awaitedStates)
    .default('synced')
    .describe('`healthy`: also until a check after the sync found no unhealthy resource.'),
  timeoutMs: z
    .int()
    .min(waitRange.least)
    .max(waitRange.most)
    .default(60_000)
    .describe('Milliseconds; then the answer is 504.'),
})

/** Creates, reads, changes and deletes stacks; waits for, suspends and resumes them. */
export function addStackRoutes(api: Api, call: CallUseCase): void {
  addCollectionRoutes(api, call)
  addSettingRoutes(api, call)
  addRemovalRoute(api, call)
  addWaitingRoutes(api, call)
  addSuspensionRoutes(api, call)
}

const collection = '/api/v1/stacks'
const single = '/api/v1/stacks/{name}'

function addCollectionRoutes(api: Api, call: CallUseCase): void {
  const list = {
    method: 'get',
    path: collection,
    operationId: 'listStacks',
    role: 'read',
    errors: [404],
    summary: 'List stacks. Filters combine with AND.',
    description:
      'Entries have no `resources` and no `spec`. A page has at most 500. A `channel` that no stack ever followed is ' +
      'answered 404.',
    tag,
    query: stackListingSchema,
    answer: stackPageSchema,
  } as const
  addEndpoint(api, list, ({ query }) => call(listStacks, toStackListing(query)))

  const made = z.object({ stack: stackSchema, run: z.string().describe('The id of its first run.') })
  const create = {
    method: 'post',
    path: collection,
    operationId: 'createStack',
    role: 'admin',
    errors: [404, 409],
    summary: 'Create a stack and start its first sync.',
    description: 'Creates it also if its first sync fails; the run of the answer says how that goes.',
    tag,
    body: stackDocument,
  } as const
  addEndpoint(api, { ...create, status: 201, answer: made }, ({ body, by }) => call(createStack, toStackSpec(body), by))

  const preview = {
    method: 'post',
    path: `${collection}/plan-create`,
    operationId: 'planNewStack',
    role: 'admin',
    errors: [404, 409, 502, 504],
    summary: 'Preview the first sync of a new stack. Stores nothing.',
    description: 'Takes the body of `createStack`, and refuses what that refuses. `stack` of the plan is empty.',
    tag,
    body: stackDocument,
    answer: planSchema,
  } as const
  addEndpoint(api, preview, ({ body, signal }) => call(previewCreate, toStackSpec(body), signal))
}

function addSettingRoutes(api: Api, call: CallUseCase): void {
  const get = {
    method: 'get',
    path: single,
    operationId: 'getStack',
    role: 'read',
    errors: [404],
    summary: 'Get a stack.',
    description: 'With its settings, its status and the resources that it owns or shares.',
    tag,
    params: stackParams,
    answer: stackSchema,
  } as const
  addEndpoint(api, get, ({ params }) => call(getStack, params.name))

  const previewed = z.object({
    changes: z.array(fieldChangeSchema).readonly().describe('The changed settings, as documents write them.'),
    plan: planSchema.optional(),
    error: errorBodySchema.optional().describe('Why there is no plan of the run that follows.'),
  })
  const changed = previewed.extend({
    stack: stackSchema,
    run: z
      .string()
      .optional()
      .describe('The id of the run that applies the settings, or that they may let begin; absent: there is none.'),
  })
  const set = {
    method: 'patch',
    path: single,
    operationId: 'updateStack',
    role: 'admin',
    errors: [404, 409],
    ifMatch: 'stack',
    summary: 'Change settings; absent ones stay, null resets. Answers with the changes and the plan of the next sync.',
    description: 'The next sync applies the new settings. If it cannot be planned, `error` replaces the plan.',
    tag,
    params: stackParams,
    isBodyRequired: true,
  } as const
  addEndpoint(api, { ...set, body: stackPatchDocument, answer: changed }, ({ params, body, by, precondition }) =>
    call(updateStack, params.name, toStackPatch(body), by, ...optionArguments(precondition)),
  )

  const preview = {
    method: 'post',
    path: `${single}/plan-settings`,
    operationId: 'planSettings',
    role: 'admin',
    errors: [404, 409],
    summary: 'Preview a change of settings: the changed settings, and the plan of the next sync. Stores nothing.',
    description: 'Takes the body of `updateStack`, and refuses what that refuses. Without a plan, they need no run.',
    tag,
    params: stackParams,
    isBodyRequired: true,
  } as const
  addEndpoint(api, { ...preview, body: stackPatchDocument, answer: previewed }, ({ params, body }) =>
    call(previewUpdate, params.name, toStackPatch(body)),
  )
}

function addRemovalRoute(api: Api, call: CallUseCase): void {
  const uninstall = uninstallDigest
    .optional()
    .describe('The digest of a plan with `uninstall: true`: first remove its resources.')
  const remove = {
    method: 'delete',
    path: single,
    operationId: 'deleteStack',
    role: 'admin',
    errors: [404, 409, 422, 423, 502, 504],
    ifMatch: 'stack',
    summary: 'Delete a stack. Its resources stay on the target.',
    description: 'With `uninstall`, a run first removes the resources of that plan.',
    tag,
    params: stackParams,
  } as const
  const removed = z.object({ run: runSchema.optional() })
  addEndpoint(
    api,
    { ...remove, query: z.object({ uninstall, ...overrideQuery }), answer: removed },
    ({ params, query, by, signal, precondition }) => {
      const removal = query.uninstall === undefined ? {} : { uninstall: query.uninstall, ...toOverride(query) }
      return call(deleteStack, params.name, { by, ...removal, ...precondition }, signal)
    },
  )
}

const below = (verb: string): string => `/api/v1/stacks/{name}/${verb}`
const about = { tag, params: stackParams, answer: stackSchema } as const

function addWaitingRoutes(api: Api, call: CallUseCase): void {
  const cancel = {
    ...about,
    method: 'post',
    path: below('cancel'),
    operationId: 'cancelRun',
    role: 'approve',
    errors: [404],
    ifMatch: 'stack',
    summary: 'Cancel the run that is queued, needs approval or is in progress.',
    description: 'What a run in progress has applied stays.',
  } as const
  addEndpoint(api, cancel, ({ params, by, precondition }) =>
    call(cancelRun, params.name, by, ...optionArguments(precondition)),
  )

  const wait = {
    ...about,
    method: 'post',
    path: below('wait'),
    operationId: 'waitForStack',
    role: 'read',
    errors: [404, 409, 423, 502, 504],
    summary: 'Wait until the stack is synced, or synced and healthy.',
    description: 'A failed run, a suspension or the end of `timeoutMs` is an error.',
    body: waitBody,
  } as const
  addEndpoint(api, wait, ({ params, body: { revision, ...rest }, signal }) =>
    call(waitForStack, params.name, { ...rest, ...(revision !== undefined && { revision }) }, signal),
  )
}

function addSuspensionRoutes(api: Api, call: CallUseCase): void {
  const suspend = {
    ...about,
    method: 'post',
    path: below('suspend'),
    operationId: 'suspendStack',
    role: 'approve',
    errors: [404, 423],
    ifMatch: 'stack',
    summary: 'Suspend a stack: no writes until it is resumed.',
    description: 'Nothing is written to the target, not even corrections of drift.',
    body: suspendBody,
  } as const
  addEndpoint(api, suspend, ({ params, body, by, precondition }) =>
    call(suspendStack, params.name, body.why.trim(), body.forMs, by, ...optionArguments(precondition)),
  )

  const resume = {
    ...about,
    method: 'post',
    path: below('resume'),
    operationId: 'resumeStack',
    role: 'approve',
    errors: [404, 409, 423],
    ifMatch: 'stack',
    summary: 'Resume a stack.',
    description: 'Runs may write to the target again.',
  } as const
  addEndpoint(api, resume, ({ params, by, precondition }) =>
    call(resumeStack, params.name, by, ...optionArguments(precondition)),
  )
}
