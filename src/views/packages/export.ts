// A package that declares existing resources.
import { z } from '@hono/zod-openapi'
import { problemSchema } from '../errors/problem.js'
import { jsonObject, list, type View } from '../view.js'

export const exportSchema = z
  .object({
    documents: list(jsonObject).describe('The documents of the package, in a stable order.'),
    problems: list(problemSchema).describe('Warnings about resources and fields that it leaves out.'),
  })
  .openapi('Export', { description: 'A package that declares existing resources.' })

export type ExportView = View<typeof exportSchema>
