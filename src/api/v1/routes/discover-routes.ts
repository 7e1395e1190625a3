import { z } from '@hono/zod-openapi'
import { plainPath, sourceDocument } from '../../../settings/documents/source-document.js'
import { dnsLabel } from '../../../settings/setting-forms.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { discoverySchema } from '../../../views/packages/discovery.js'
import { discoverPackages, type DiscoverRequest } from '../../../stacks/discover/discover.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { strictObject } from '../../../settings/schema/strict-object.js'

const { url, ref, path } = sourceDocument.options[0].shape

const bodySchema = strictObject({
  url,
  ref,
  path: path.transform(plainPath),
  target: dnsLabel.optional().describe('Packages are checked for the platform of this target. Default: `local`.'),
  prefix: z
    .string()
    .regex(/^[a-z0-9][-a-z0-9]{0,40}$/, 'must be 1 to 41 of a-z, 0-9 and -, and not start with -.')
    .optional()
    .describe('Prefix of the suggested stack names.'),
})

/** Finds the packages of a repository. */
export function addDiscoverRoute(api: Api, call: CallUseCase): void {
  const about = {
    method: 'post',
    path: '/api/v1/discover',
    tag: 'stacks',
    operationId: 'discoverPackages',
    role: 'admin',
    errors: [404, 502, 504],
    summary: 'Find the packages of a repository. Creates nothing.',
    description: 'Fetches the ref once and reads every folder with package files.',
  } as const
  addEndpoint(api, { ...about, body: bodySchema, answer: discoverySchema }, ({ body, signal }) =>
    call(discoverPackages, body as DiscoverRequest, signal),
  )
}
