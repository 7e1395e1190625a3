import { z } from '@hono/zod-openapi'
import { uninstallDigest } from '../plan-digest.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { toOverride, overrideShape } from '../override-window.js'
import { releasedSchema } from '../../../views/resource.js'
import { runRowSchema, runSchema } from '../../../views/run.js'
import { stackParams } from './stack-routes.js'
import { uninstallStack } from '../../../stacks/changes/changes.js'
import { adoptResource, releaseResource } from '../../../stacks/ownership/ownership.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { strictObject } from '../../../settings/schema/strict-object.js'

const address = z
  .string()
  .regex(/^[A-Za-z][\w.-]{0,99}\/[^\x00-\x1f\x7f]{1,500}$/, 'must be an address such as Bucket/raw.')
  .describe('FAMILY/NAME as in the package: `Dashboard/ops`.')

const adoptBody = strictObject({
  address,
  id: z.string().min(1).max(200).describe('Its id on the target, such as 16 hex digits.'),
})
const releaseBody = strictObject({ address })
const uninstallBody = strictObject({
  digest: uninstallDigest.describe('The digest of a plan with `uninstall: true`.'),
  ...overrideShape,
})

/** Changes the ownership of a stack without a package: adopt, release, uninstall. */
export function addOwnershipRoutes(api: Api, call: CallUseCase): void {
  const below = (verb: string): string => `/api/v1/stacks/{name}/${verb}`
  const about = {
    method: 'post',
    tag: 'stacks',
    params: stackParams,
    errors: [404, 409, 423, 502, 504],
    ifMatch: 'stack',
  } as const
  const recorded = z.object({ run: runRowSchema })

  const adopt = {
    ...about,
    path: below('adopt'),
    operationId: 'adoptResource',
    role: 'admin',
    summary: 'Adopt an existing resource. Writes nothing to the target.',
    description: 'The next sync compares the resource with the package and plans the differences.',
  } as const
  addEndpoint(api, { ...adopt, body: adoptBody, answer: recorded }, ({ params, body, by, signal, precondition }) =>
    call(adoptResource, params.name, { ...body, by, ...precondition }, signal),
  )

  const release = {
    ...about,
    path: below('release'),
    operationId: 'releaseResource',
    role: 'admin',
    summary: 'Release a resource of the stack. It stays on the target.',
    description:
      'No stack manages it afterwards. While the package declares it, a sync adopts it or creates another one.',
  } as const
  addEndpoint(
    api,
    { ...release, body: releaseBody, answer: releasedSchema },
    ({ params, body, by, signal, precondition }) =>
      call(releaseResource, params.name, { ...body, by, ...precondition }, signal),
  )

  const uninstall = {
    ...about,
    path: below('uninstall'),
    operationId: 'uninstallStack',
    role: 'admin',
    summary: 'Remove all resources of the stack, and keep the stack.',
    description: 'Applies exactly the plan with this digest. The stack is suspended afterwards.',
  } as const
  addEndpoint(
    api,
    { ...uninstall, body: uninstallBody, answer: z.object({ run: runSchema }) },
    ({ params, body, by, signal, precondition }) =>
      call(uninstallStack, params.name, { digest: body.digest, by, ...toOverride(body), ...precondition }, signal),
  )
}
