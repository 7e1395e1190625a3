import { z } from '@hono/zod-openapi'
import type { ExportRequest } from '../../stacks/export/export-request.js'
import { addEndpoint, type Api } from './endpoint.js'
import { exportSchema } from '../../views/export.js'
import { list } from '../../views/view.js'
import { exportPackage } from '../../stacks/export/export.js'
import type { CallUseCase } from '../../webhooks/call-use-case.js'

/** Entries of one list of selectors. */
export const mostSelectors = 10_000

const name = z.string().min(1).max(1_000)
const target = z.string().min(1).max(100)
const names = list(name).optional()

const resourceSelector = z.strictObject({
  kind: name.openapi({ description: 'A kind, or a family: `Check`, `NotificationEndpoint`.' }),
  id: name.optional(),
  name: name
    .optional()
    .openapi({ description: 'With `id`: the name that it is given in the export. Alone: all of this name.' }),
})

const targetSelector = z.strictObject({
  target,
  labels: names.openapi({ description: 'Display names: what bears one of them.' }),
  kinds: names,
})

const bodySchema = z.strictObject({
  stack: name.optional().openapi({ description: 'Name or id of a stack: what it has, under the names that it gave.' }),
  resources: z.array(resourceSelector).max(mostSelectors).optional(),
  target: target.optional().openapi({ description: 'Where `resources` are sought. Default: on every target.' }),
  targets: z
    .array(targetSelector)
    .max(mostSelectors)
    .optional()
    .openapi({ description: 'Everything of a target that the filters let through.' }),
  withVariables: z.boolean().optional().openapi({ description: 'The variables that queries speak of come along.' }),
})

/** What is on targets, as a package. */
export function addExportRoute(api: Api, call: CallUseCase): void {
  const about = {
    method: 'post',
    path: '/api/v1/export',
    tag: 'resources',
    summary: 'What is there, as a package that declares it.',
  } as const
  addEndpoint(api, { ...about, body: bodySchema, answer: exportSchema }, ({ body, signal }) =>
    call(exportPackage, body as ExportRequest, signal),
  )
}
