import { z } from '@hono/zod-openapi'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { optionArguments, overrideShape, toOverride } from '../override-window.js'
import { planDigest } from '../plan-digest.js'
import { planSchema } from '../../../views/plan.js'
import { sentFilesBody } from '../push-schema.js'
import { appliedSchema } from '../../../views/run.js'
import { stackParams } from './stack-routes.js'
import { below, runId } from './run-routes.js'
import { applyPlan, approvePlan } from '../../../stacks/plans/plans.js'
import { previewPackage, previewPlan } from '../../../stacks/plans/preview.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { strictObject } from '../../../settings/schema/strict-object.js'

const planBody = strictObject({
  ref: z.string().min(1).max(300).optional().describe('Plan this ref in place of the one that the stack follows.'),
  uninstall: z.boolean().optional().describe('Plan the removal of all resources.'),
  delete: z
    .boolean()
    .optional()
    .describe('As `uninstall`. Refused if the stack cannot be deleted: a file declares it, or others depend on it.'),
  run: runId.optional().describe('Preview the rollback to this run.'),
})

const about = { method: 'post', tag: 'runs', params: stackParams } as const

/** Previews of plans; carries out a plan that a person saw. */
export function addPlanRoutes(api: Api, call: CallUseCase): void {
  addPreviewRoutes(api, call)
  addApplyRoute(api, call)
  addApproveRoute(api, call)
}

function addPreviewRoutes(api: Api, call: CallUseCase): void {
  const plan = {
    ...about,
    path: below('plan'),
    operationId: 'planStack',
    role: 'read',
    errors: [404, 409, 502, 504],
    summary: 'Preview what a sync would do.',
    description: 'Writes nothing, stores nothing. `digest` identifies the plan in `apply` and `approve`.',
    body: planBody,
    answer: planSchema,
  } as const
  addEndpoint(api, plan, ({ params, body, signal }) => call(previewPlan, params.name, withoutUndefined(body), signal))

  const planFiles = {
    ...about,
    path: below('plan-files'),
    operationId: 'planFiles',
    role: 'admin',
    errors: [404, 409, 502, 504],
    summary: 'Preview what these files would change in place of those of the source. Stores nothing.',
    description: 'Uses the settings of the stack: its target, values and secrets.',
    body: sentFilesBody,
    answer: planSchema,
  } as const
  addEndpoint(api, planFiles, ({ params, body, signal }) => call(previewPackage, params.name, body.files, signal))
}

function addApplyRoute(api: Api, call: CallUseCase): void {
  const applyBody = strictObject({
    revision: z.string().min(1).max(4_000).describe('`revision` of the plan.'),
    digest: planDigest,
    ...overrideShape,
  })
  const apply = {
    ...about,
    path: below('apply'),
    operationId: 'applyPlan',
    role: 'approve',
    errors: [404, 409, 423, 502, 504],
    ifMatch: 'stack',
    summary: 'Apply exactly this plan.',
    description:
      'Plans again, and applies only if the digest is the same; otherwise 409 (`plan/stale`). ' +
      'It counts as an approval.',
    body: applyBody,
    answer: appliedSchema,
  } as const
  addEndpoint(api, apply, ({ params, body, by, signal, precondition }) => {
    const { revision, digest, ...override } = body
    const options = optionArguments({ ...toOverride(override), ...precondition })
    return call(applyPlan, { stack: params.name, revision, digest }, by, signal, ...options)
  })
}

function addApproveRoute(api: Api, call: CallUseCase): void {
  const approveBody = strictObject({ digest: planDigest, ...overrideShape })
  const approve = {
    ...about,
    path: below('approve'),
    operationId: 'approvePlan',
    role: 'approve',
    errors: [404, 409, 423, 502, 504],
    ifMatch: 'stack',
    summary: 'Approve the plan that needs approval.',
    description: 'Applies only the plan with this digest; another one answers 409 (`plan/stale`).',
    body: approveBody,
    answer: appliedSchema,
  } as const
  addEndpoint(api, approve, ({ params, body, by, signal, precondition }) => {
    const options = optionArguments({ ...toOverride(body), ...precondition })
    return call(approvePlan, params.name, body.digest, by, signal, ...options)
  })
}
