// What goes with a package beside its files, as it is written in a stack document and over the API.
import { z } from 'zod'

const mostValues = 1_000
const mostSecrets = 200
const mostCharacters = 65_536

/** Of an env reference or a parameter; of a secret. */
const key = z.string().regex(/^[^\x00-\x1f\x7f]{1,300}$/, 'must be 1 to 300 characters, without control characters.')
const text = z.string().max(mostCharacters, `must have at most ${mostCharacters} characters.`)

export const valuesDocument = z
  .record(key, z.union([text, z.number(), z.boolean()], 'must be a text, a number, true or false.'))
  .refine((values) => Object.keys(values).length <= mostValues, `must have at most ${mostValues} entries.`)

/** Secrets themselves. */
export const secretsDocument = secretMap(text.min(1, 'must not be empty.'))

/** Where secrets are. A literal one would be kept in the database as it is written. */
export const secretReferencesDocument = secretMap(
  z
    .string()
    .regex(
      /^\$\{(?:env|file):[^}]+\}$/,
      'must be ${env:NAME} or ${file:PATH}: what is written here is kept in the database.',
    ),
)

/** What is said of `secrets` where they are not taken. */
export const secretsNotTaken = {
  secrets:
    '"secrets" stand in the configuration file only, or go with a push: gitmoor stack push NAME --secret-file KEY=PATH.',
}

function secretMap(value: z.ZodString): z.ZodType<Record<string, string>, Record<string, string>> {
  return z
    .record(key, value)
    .refine((secrets) => Object.keys(secrets).length <= mostSecrets, `must have at most ${mostSecrets} entries.`)
    .describe("By key of the target's secret store.")
}
