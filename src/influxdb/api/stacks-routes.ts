// `/api/v2/stacks`.
import { Refused } from '../../model/errors.js'
import type { WindowOverrideOptions } from '../../status/run-blockers.js'
import type { TemplateStackView } from '../templates/template-stack.js'
import type { Api } from '../../api/v1/endpoint.js'
import { stackJson } from './stack-json.js'
import { readNewStack, readStackUpdate } from './stack-requests.js'
import { addWireEndpoint, anyType, type WireRequest } from './wire-endpoint.js'
import { WireRefusal } from './wire-error.js'
import { readId } from './wire-id.js'
import { deleteStack, uninstallStack } from '../../stacks/changes/changes.js'
import { previewPlan } from '../../stacks/plans/preview.js'
import {
  changeTemplateStack,
  createTemplateStack,
  getTemplateStack,
  listTemplateStacks,
} from '../templates/template-stacks.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'

const stacks = '/api/v2/stacks'

/** Attempts to plan a removal whose stack changes between the plan and its run. */
const mostTries = 5
/** Resources that the error of a refused uninstall names. */
const mostNamed = 5

export function addStacksRoutes(api: Api, call: CallUseCase): void {
  addWireEndpoint(api, { method: 'post', path: stacks, takesBody: anyType }, async ({ body, by }) => ({
    status: 201,
    json: stackJson(await call(createTemplateStack, readNewStack(body), by)),
  }))
  addWireEndpoint(api, { method: 'get', path: stacks }, async ({ query }) => {
    const orgID = readId(query('orgID')[0], 'organization id (orgID)')
    const ids = query('stackID').map((id) => readId(id, 'stack id (stackID)'))
    const found = await call(listTemplateStacks, { orgID, names: query('name'), ids })
    return { status: 200, json: { stacks: found.map(stackJson) } }
  })
  addWireEndpoint(api, { method: 'get', path: `${stacks}/:id` }, async (request) => ({
    status: 200,
    json: stackJson(await call(getTemplateStack, stackId(request))),
  }))
  addWireEndpoint(api, { method: 'patch', path: `${stacks}/:id`, takesBody: anyType }, async (request) => {
    const change = readStackUpdate(request.body)
    return {
      status: 200,
      json: stackJson(await call(changeTemplateStack, stackId(request), change, request.by, request.signal)),
    }
  })
  addWireEndpoint(api, { method: 'post', path: `${stacks}/:id/uninstall` }, async (request) => {
    const record = await stackInOrganisation(request, call)
    await uninstall(record, call, request)
    return { status: 200, json: stackJson(await call(getTemplateStack, record.id)) }
  })
  addWireEndpoint(api, { method: 'delete', path: `${stacks}/:id` }, async (request) => {
    const record = await stackInOrganisation(request, call).catch(unlessUnknown)
    if (record !== undefined) await removeStack(record, call, request).catch(unlessUnknown)
    return { status: 204 }
  })
}

function stackId({ param }: WireRequest): string {
  return readId(param('id'), 'stack id')
}

/** The stack. Errors: conflict, if it is of another organisation than the request names. */
async function stackInOrganisation(request: WireRequest, call: CallUseCase): Promise<TemplateStackView> {
  const orgID = readId(request.query('orgID')[0], 'organization id (orgID)')
  const stack = await call(getTemplateStack, stackId(request))
  if (stack.orgID === orgID) return stack
  throw new WireRefusal('conflict', `The stack ${stack.id} is of another organization than ${orgID}.`)
}

function unlessUnknown(error: unknown): undefined {
  if (error instanceof Refused && error.status === 'not-found') return undefined
  throw error
}

/** Removes every owned resource, adopted ones included. An uninstalled stack stays uninstalled. */
function uninstall({ id }: TemplateStackView, call: CallUseCase, { by, signal, query }: WireRequest): Promise<void> {
  const overriding = overrideInQuery(query)
  return retryWhileStale(async () => {
    if (await isUninstalled(id, call)) return
    const digest = await uninstallDigest(id, call, signal)
    await call(uninstallStack, id, { digest, by, ...overriding }, signal)
  })
}

function removeStack({ id }: TemplateStackView, call: CallUseCase, { by, signal, query }: WireRequest): Promise<void> {
  const overriding = overrideInQuery(query)
  return retryWhileStale(async () => {
    if (await isUninstalled(id, call)) return void (await call(deleteStack, id, { by }, signal))
    const digest = await uninstallDigest(id, call, signal)
    await call(deleteStack, id, { uninstall: digest, by, ...overriding }, signal)
  })
}

/** `?overrideWindow=true&why=TEXT`. */
function overrideInQuery(query: WireRequest['query']): WindowOverrideOptions {
  return query('overrideWindow')[0] === 'true' ? { overrideWindow: query('why')[0] ?? '' } : {}
}

/**
 * The digest of the plan that removes everything. Errors: `Refused` needs-approval, if the stack does not allow data
 * loss.
 */
async function uninstallDigest(id: string, call: CallUseCase, signal: AbortSignal): Promise<string> {
  const { digest, needsApproval, stackName } = await call(previewPlan, id, { uninstall: true }, signal)
  const losing = needsApproval.filter(({ rule }) => rule === 'data-loss')
  if (losing.length === 0) return digest
  throw new Refused(
    'needs-approval',
    losing
      .slice(0, mostNamed)
      .map(({ message }) => message)
      .join(' '),
    {
      code: 'stacks/data-loss',
      hint: `Review the plan and consent to it: gitmoor stack uninstall ${stackName}`,
    },
  )
}

async function isUninstalled(id: string, call: CallUseCase): Promise<boolean> {
  return (await call(getTemplateStack, id)).events.at(-1)!.eventType === 'uninstall'
}

/** Plans again if an apply came first: InfluxDB clients do not know plans. */
async function retryWhileStale(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 'stale' || tries === mostTries) throw error
    }
  }
}
