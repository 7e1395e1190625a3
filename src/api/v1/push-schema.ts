import { z } from '@hono/zod-openapi'
import { withoutUndefined } from '../../lib/without-undefined.js'
import { secretsDocument, valuesDocument } from '../../settings/documents/inputs-document.js'
import type { PushedPackage } from '../../stacks/inputs/pushed-package.js'
import { strictObject } from '../../settings/schema/strict-object.js'

const mostFiles = 10_000
const mostSkips = 1_000
const mostUrls = 100

const file = strictObject({
  path: z.string().describe('Relative to the root of the package, with slashes.'),
  text: z.string().describe('The text of the file.'),
})

const skip = strictObject({
  kind: z.string().min(1).max(100).describe('A check or an endpoint kind skips its whole family.'),
  name: z.string().min(1).max(100).optional().describe('The metadata.name; absent: all of that kind.'),
})

/** The files of a package to plan. */
export const sentFilesBody = strictObject({
  files: z.array(file).min(1).max(mostFiles).describe('The files of the package.'),
})

/** A pushed package and its inputs. */
export const pushBody = strictObject({
  files: z.array(file).max(mostFiles).describe('The files of the package.'),
  urls: z
    .array(z.string().min(1).max(2_000))
    .max(mostUrls)
    .optional()
    .describe('URLs of packages that the agent fetches once.'),
  values: valuesDocument.optional().describe('Parameters and env references by key.'),
  secrets: secretsDocument.optional().describe('Kept in memory until they are applied, never stored.'),
  skips: z.array(skip).max(mostSkips).optional().describe('Resources that stay unchanged on the target.'),
  allowEmpty: z
    .boolean()
    .optional()
    .describe('true: a package without resources removes everything. Otherwise it is refused.'),
})

export function toPushedPackage({ files, skips, ...inputs }: z.output<typeof pushBody>): PushedPackage {
  const toSkip = skips?.map(({ kind, name }) => ({ family: kind, ...withoutUndefined({ metaName: name }) }))
  return { files, ...withoutUndefined({ ...inputs, skips: toSkip }) }
}
