import { z } from '@hono/zod-openapi'
import { mostSelectors, type ExportRequest } from '../../../stacks/export/export-request.js'
import { addEndpoint, type Api } from '../endpoint.js'
import { exportSchema } from '../../../views/packages/export.js'
import { list } from '../../../views/view.js'
import { exportPackage } from '../../../stacks/export/export.js'
import type { CallUseCase } from '../../../webhooks/call-use-case.js'
import { strictObject } from '../../../settings/schema/strict-object.js'

const name = z.string().min(1).max(1_000)
const target = z.string().min(1).max(100)
const names = list(name).optional()

const resourceSelector = strictObject({
  kind: name.describe('A kind, or a family: `Check`, `NotificationEndpoint`.'),
  id: name.optional().describe('Its id on the target; absent: all resources of the kind.'),
  name: name.optional().describe('With `id`: its name in the export. Without: all resources with this name.'),
})

const targetSelector = strictObject({
  target: target.describe('As the configuration file declares it.'),
  labels: names.describe('Display names of labels: resources with one of them.'),
  kinds: names.describe('Kinds or families; absent: all.'),
  unmanaged: z.boolean().optional().describe('true: only those that no stack manages.'),
})

const bodySchema = strictObject({
  stack: name.optional().describe('Name or id of a stack: its resources, with the names of its package.'),
  resources: z.array(resourceSelector).max(mostSelectors).optional().describe('Single resources.'),
  target: target.optional().describe('The target of `resources`. Default: all targets.'),
  targets: z
    .array(targetSelector)
    .max(mostSelectors)
    .optional()
    .describe('All resources of these targets that match the filters.'),
  withVariables: z.boolean().optional().describe('Include the variables that queries use.'),
})

/** Exports resources of targets as a package. */
export function addExportRoute(api: Api, call: CallUseCase): void {
  const about = {
    method: 'post',
    path: '/api/v1/export',
    tag: 'resources',
    operationId: 'exportPackage',
    role: 'read',
    errors: [404, 409, 502, 504],
    summary: 'Export existing resources as a package.',
    description: 'Reads them from the targets now. Selectors combine with OR.',
    isBodyRequired: true,
  } as const
  addEndpoint(api, { ...about, body: bodySchema, answer: exportSchema }, ({ body, signal }) =>
    call(exportPackage, body as ExportRequest, signal),
  )
}
