// The packages of a repository.
import { z } from '@hono/zod-openapi'
import { problemSchema } from './problem.js'
import { list, type View } from './view.js'

const packageSchema = z.object({
  path: z.string(),
  kinds: z.record(z.string(), z.int()).openapi({ description: 'The number of documents of each kind.' }),
  problems: list(problemSchema).openapi({ description: 'Its errors.' }),
  includes: list(z.string()).openapi({ description: 'Packages below it. A stack of this path reads them, too.' }),
  stack: z.string().nullable().openapi({ description: 'A stack that already reads it.' }),
  name: z.string().openapi({ description: 'A free name for a stack of it.' }),
})

const clashSchema = z.object({
  family: z.string(),
  name: z.string(),
  paths: list(z.string()),
  alike: z.boolean().openapi({
    description: 'true: stacks of these packages would share the resource; false: all but the first are refused.',
  }),
})

export const discoverySchema = z
  .object({
    url: z.string(),
    ref: z.string(),
    path: z.string(),
    revision: z.string(),
    packages: list(packageSchema),
    clashes: list(clashSchema).openapi({ description: 'Names that several packages declare.' }),
  })
  .openapi('Discovery', { description: 'The packages of a repository: one for each folder with package files.' })

export type DiscoveryView = View<typeof discoverySchema>
export type DiscoveredPackage = DiscoveryView['packages'][number]
export type ClashView = DiscoveryView['clashes'][number]
