import { z } from '@hono/zod-openapi'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import { getConfiguration } from '../../../stacks/queries/configuration.js'
import { configurationPageSchema } from '../../../views/configuration.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { pagingShape } from '../paging.js'

export function addConfigurationRoute(api: Api, call: CallUseCase): void {
  const configuration = {
    method: 'get',
    path: '/api/v1/configuration',
    tag: 'configuration',
    operationId: 'getConfiguration',
    role: 'read',
    summary: 'Show the configuration as the agent read it, each value with its line in the file.',
    description: 'Secrets show only their references. With the last reload, if it was refused.',
    query: z.object({
      section: z.string().max(100).optional().describe('Only values of this key of the file: `limits`.'),
      ...pagingShape,
    }),
    answer: configurationPageSchema,
  } as const
  addEndpoint(api, configuration, ({ query }) => call(getConfiguration, withoutUndefined(query)))
}
