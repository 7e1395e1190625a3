import { z } from '@hono/zod-openapi'
import { plainPath, sourceDocument } from '../../settings/source-document.js'
import { dnsLabel } from '../../settings/stack-document.js'
import type { DiscoverRequest, Verbs } from '../../stacks/verbs.js'
import { addEndpoint, type Api } from './endpoint.js'
import { problemSchema } from '../../views/error-schema.js'
import { list } from '../../views/list-schema.js'

const { url, ref, path } = sourceDocument.options[0].shape

const bodySchema = z.strictObject({
  url,
  ref,
  path: path.transform(plainPath),
  target: dnsLabel.optional().openapi({ description: 'For which platform packages are checked. Default: `local`.' }),
  prefix: z
    .string()
    .regex(/^[a-z0-9][-a-z0-9]{0,40}$/, 'must be 1 to 41 of a-z, 0-9 and -, with no - first.')
    .optional()
    .openapi({ description: 'Stands before the names of stacks.' }),
})

const packageSchema = z.object({
  path: z.string(),
  kinds: z.record(z.string(), z.int()).openapi({ description: 'How many documents of each kind.' }),
  problems: list(problemSchema),
  includes: list(z.string()).openapi({ description: 'Packages below it that a stack of it would read, too.' }),
  stack: z.string().nullable().openapi({ description: 'A stack that reads it already.' }),
  name: z.string().openapi({ description: 'A free name for a stack of it.' }),
})

const clashSchema = z.object({
  family: z.string(),
  name: z.string(),
  paths: list(z.string()),
  alike: z.boolean().openapi({ description: 'Stacks would share it; else all but the first are refused.' }),
})

export const discoverySchema = z
  .object({
    url: z.string(),
    ref: z.string(),
    path: z.string(),
    revision: z.string(),
    packages: list(packageSchema),
    clashes: list(clashSchema),
  })
  .openapi('Discovery', { description: 'The packages of a repository, one for each folder with package files.' })

/** Which packages a repository holds. */
export function addDiscoverRoute(api: Api, verbs: Verbs): void {
  const about = {
    method: 'post',
    path: '/api/v1/discover',
    tag: 'stacks',
    summary: 'Which packages a repository holds; nothing is made.',
  } as const
  addEndpoint(api, { ...about, body: bodySchema, answer: discoverySchema }, ({ body, signal }) =>
    verbs.discover(body as DiscoverRequest, signal),
  )
}
