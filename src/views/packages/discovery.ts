// The packages of a repository.
import { z } from '@hono/zod-openapi'
import { problemSchema } from '../errors/problem.js'
import { list, type View } from '../view.js'

const packageSchema = z.object({
  path: z.string().describe('The folder below the root of the repository; empty: the root.'),
  kinds: z.record(z.string(), z.int()).describe('The number of documents of each kind.'),
  problems: list(problemSchema).describe('Its errors.'),
  includes: list(z.string()).describe('Packages below it. A stack of this path reads them, too.'),
  stack: z.string().nullable().describe('A stack that already reads it.'),
  name: z.string().describe('A free name for a stack of it.'),
})

const clashSchema = z.object({
  family: z.string().describe('`Bucket`, `Dashboard`, ….'),
  name: z.string().describe('The name that they declare.'),
  paths: list(z.string()).describe('The packages that declare it.'),
  alike: z
    .boolean()
    .describe('true: stacks of these packages would share the resource; false: all but the first are refused.'),
})

export const discoverySchema = z
  .object({
    url: z.string().describe('The address of the repository, without credentials.'),
    ref: z.string().describe('The ref that was read.'),
    path: z.string().describe('The folder that was searched; empty: the whole repository.'),
    revision: z.string().describe('The commit of the ref.'),
    packages: list(packageSchema).describe('In the order of their paths.'),
    clashes: list(clashSchema).describe('Names that several packages declare.'),
  })
  .openapi('Discovery', { description: 'The packages of a repository: one for each folder with package files.' })

export type DiscoveryView = View<typeof discoverySchema>
export type DiscoveredPackage = DiscoveryView['packages'][number]
export type ClashView = DiscoveryView['clashes'][number]
