import type { z } from '@hono/zod-openapi'
import { withoutUndefined } from '../../../lib/without-undefined.js'
import { importDocument, toImportSpec } from '../../../settings/documents/stack-document.js'
import { importSchema } from '../../../views/packages/import.js'
import { importStack, previewImport, type ImportRequest } from '../../../stacks/import/import.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { addEndpoint, type Api } from '../endpoint.js'

/** Creates stacks that take over existing resources. */
export function addImportRoutes(api: Api, call: CallUseCase): void {
  const create = {
    method: 'post',
    path: '/api/v1/stacks/import',
    operationId: 'importStack',
    role: 'admin',
    errors: [404, 409, 502, 504],
    summary: 'Create a stack that takes over existing resources.',
    description:
      'Writes nothing to the target, and resources keep their ids. If the first plan writes, the stack is suspended.',
    tag: 'stacks',
    body: importDocument,
    isBodyRequired: true,
  } as const
  addEndpoint(api, { ...create, status: 201, answer: importSchema }, ({ body, by, signal }) =>
    call(importStack, toRequest(body), by, signal),
  )

  const preview = {
    ...create,
    path: '/api/v1/stacks/plan-import',
    operationId: 'planImport',
    role: 'admin',
    summary: 'Preview a stack that takes over existing resources. Stores nothing.',
    description: 'Takes the body of `importStack`, and refuses what that refuses.',
    answer: importSchema,
  } as const
  addEndpoint(api, preview, ({ body, signal }) => call(previewImport, toRequest(body), signal))
}

function toRequest(body: z.output<typeof importDocument>): ImportRequest {
  return { ...withoutUndefined({ stackID: body.stackID }), spec: toImportSpec(body) }
}
