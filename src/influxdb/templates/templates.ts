// influxdb/templates: packages pushed through the InfluxDB API. Takes requests; gives diffs and summaries.
// Promises: a dry run writes nothing; an invalid package writes nothing; an apply is a sync, and is undone if it fails.
import { Refused } from '../../model/errors.js'
import { inlineUrls } from '../../model/sources/source-spec.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { PushedPackage } from '../../stacks/inputs/pushed-package.js'
import { preparePackage } from '../../stacks/changes/push-package.js'
import { templateStackSpec } from './template-stacks.js'
import { applyPrepared } from './apply-template.js'
import { gatherPackage } from '../../stacks/inputs/gather-package.js'
import { templateOutcome, preview, type PreviewInput } from './preview.js'
import type { TemplateOutcome } from './template-answer.js'
import type { TemplateRequest } from './template-request.js'
import { onLiveSystem } from '../../stacks/context.js'
import type { Context } from '../../stacks/context.js'
import type { OrganisationView } from './template-stack.js'
import { findOrganisation, organisationId } from './organisations.js'
import { findStackById, refuseLeftAlone } from '../../stacks/stacks.js'

export type { TemplateAnswer, TemplateOutcome, ValidationError } from './template-answer.js'
export type { TemplateRequest } from './template-request.js'

/** The plan of an apply, and the problems of the package. Writes nothing. */
export async function dryRunTemplate(
  context: Context,
  request: TemplateRequest,
  signal: AbortSignal,
): Promise<TemplateOutcome> {
  const input = await readRequest(context, request, signal)
  return templateOutcome(await preview(context, input, signal), request.stackID ?? '')
}

/**
 * Applies the package, to a new stack if the request names none. A client that disconnects does not stop an apply
 * that has begun. Errors: `Refused` failed, if the apply was undone.
 */
export async function applyTemplate(
  context: Context,
  request: TemplateRequest,
  by: string,
  signal: AbortSignal,
): Promise<TemplateOutcome> {
  const input = await readRequest(context, request, signal)
  const { organisation, isNew } = input
  return onLiveSystem(context, organisation.target, signal, async () => {
    const stack = isNew ? input.stack : await inlineStack(context, input.stack.id, organisation)
    return applyPrepared(context, { ...input, stack }, request, by)
  })
}

async function readRequest(context: Context, request: TemplateRequest, signal: AbortSignal): Promise<PreviewInput> {
  const organisation = findOrganisation(context.sync.targets, request.orgID)
  const known = request.stackID === undefined ? undefined : await inlineStack(context, request.stackID, organisation)
  const stack = known ?? { id: '', spec: templateStackSpec(organisation.target, 'template'), consent: null }
  const { files, origins } = await gatherPackage(
    request,
    known === undefined ? [] : inlineUrls(known.spec),
    context.sync.remotes,
    signal,
  )
  const { values, secrets, skips } = request
  const pushed: PushedPackage = { files, values, secrets, skips, allowEmpty: true }
  const prepared = await preparePackage(context, stack.spec, pushed, known, signal)
  return { organisation, stack, isNew: known === undefined, pushed, prepared, origins }
}

async function inlineStack(context: Context, id: string, organisation: OrganisationView): Promise<Stack> {
  const stack = await findStackById(context, id)
  refuseLeftAlone(context, stack)
  if (organisationId(context.sync.targets, stack.spec.target, { stack: stack.spec.name }) !== organisation.id)
    throw new Refused('conflict', `The stack ${id} belongs to another organization than ${organisation.id}.`, {
      code: 'stacks/other-organisation',
    })
  if (stack.spec.sources.length !== 1 || stack.spec.sources[0]!.kind !== 'inline')
    throw new Refused('conflict', `${stack.spec.name} follows its own sources: no package can be applied to it.`, {
      code: 'stacks/not-inline',
      hint: 'Push to its sources, or omit the id of the stack.',
    })
  return stack
}
