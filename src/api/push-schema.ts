import { z } from '@hono/zod-openapi'
import type { PushedPackage } from '../stacks/pushed-package.js'

const mostFiles = 10_000
const mostValues = 1_000
const mostSecrets = 200
const mostSkips = 1_000

const file = z.strictObject({
  path: z.string().openapi({ description: 'From the root of the package, with slashes.' }),
  text: z.string(),
})

/** Of an env reference or a parameter; of a secret. */
const key = z.string().regex(/^[^\x00-\x1f\x7f]{1,300}$/, 'must be 1 to 300 characters, without control characters.')
const value = z.string().max(65_536, 'must have at most 65536 characters.')

const skip = z.strictObject({
  kind: z.string().min(1).max(100).openapi({ description: 'Of a check or an endpoint: all kinds of the family.' }),
  name: z.string().min(1).max(100).optional().openapi({ description: 'The metadata.name; absent: all of that kind.' }),
})

/** A package that is handed over, and what goes with it. */
export const pushBody = z.strictObject({
  files: z.array(file).max(mostFiles),
  values: z
    .record(key, z.union([value, z.number(), z.boolean()]))
    .refine((values) => Object.keys(values).length <= mostValues, `must have at most ${mostValues} entries.`)
    .optional()
    .openapi({ description: 'For env references and parameters, by env key.' }),
  secrets: z
    .record(key, value.min(1, 'must not be empty.'))
    .refine((secrets) => Object.keys(secrets).length <= mostSecrets, `must have at most ${mostSecrets} entries.`)
    .optional()
    .openapi({ description: "By key of the target's secret store. Kept in memory only, until they are written there." }),
  skips: z.array(skip).max(mostSkips).optional().openapi({ description: 'Left exactly as it is on the target.' }),
  takesOver: z.boolean().optional().openapi({ description: 'What another stack owns and declares differently becomes this one’s.' }),
  allowEmpty: z.boolean().optional().openapi({ description: 'A package that declares nothing removes everything.' }),
})

export function pushedOf({ skips, ...body }: z.output<typeof pushBody>): PushedPackage {
  const given = Object.fromEntries(Object.entries(body).filter(([, one]) => one !== undefined)) as unknown as PushedPackage
  if (skips === undefined) return given
  return { ...given, skips: skips.map(({ kind, name }) => ({ family: kind, ...(name === undefined ? {} : { metaName: name }) })) }
}
