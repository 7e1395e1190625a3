import { z } from '@hono/zod-openapi'
import { uninstallDigest } from './plan-digest.js'
import { addEndpoint, type Api } from './endpoint.js'
import { toOverride, overrideShape } from './override-window.js'
import { releasedSchema } from '../../views/resource.js'
import { runRowSchema, runSchema } from '../../views/run.js'
import { stackParams } from './stack-routes.js'
import { uninstallStack } from '../../stacks/changes/changes.js'
import { adoptResource, releaseResource } from '../../stacks/ownership/ownership.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'

const address = z
  .string()
  .regex(/^[A-Za-z][\w.-]{0,99}\/[^\x00-\x1f\x7f]{1,500}$/, 'must be an address such as Bucket/raw.')
  .openapi({ description: 'FAMILY/NAME, as the package declares it: `Dashboard/ops`.' })

const adoptBody = z.strictObject({
  address,
  id: z.string().min(1).max(200).openapi({ description: 'Who it is on the target: for InfluxDB 16 hex digits.' }),
})
const releaseBody = z.strictObject({ address })
const uninstallBody = z.strictObject({
  digest: uninstallDigest.openapi({ description: 'Of a plan with `uninstall: true`.' }),
  ...overrideShape,
})

/** What a stack owns, changed without a package: taken, given up, taken away. */
export function addOwnershipRoutes(api: Api, call: CallUseCase): void {
  const below = (verb: string): string => `/api/v1/stacks/{name}/${verb}`
  const about = { method: 'post', tag: 'stacks', params: stackParams } as const
  const recorded = z.object({ run: runRowSchema })

  const adopt = {
    ...about,
    path: below('adopt'),
    summary: 'Takes what is on the target into the stack; writes nothing to it.',
  } as const
  addEndpoint(api, { ...adopt, body: adoptBody, answer: recorded }, ({ params, body, by, signal }) =>
    call(adoptResource, params.name, { ...body, by }, signal),
  )

  const release = {
    ...about,
    path: below('release'),
    summary: 'Gives up what the stack owns; the target is left alone.',
  } as const
  addEndpoint(api, { ...release, body: releaseBody, answer: releasedSchema }, ({ params, body, by, signal }) =>
    call(releaseResource, params.name, { ...body, by }, signal),
  )

  const uninstall = {
    ...about,
    path: below('uninstall'),
    summary: 'Removes what the stack owns, and keeps the stack.',
  } as const
  addEndpoint(
    api,
    { ...uninstall, body: uninstallBody, answer: z.object({ run: runSchema }) },
    ({ params, body, by, signal }) =>
      call(uninstallStack, params.name, { digest: body.digest, by, ...toOverride(body) }, signal),
  )
}
