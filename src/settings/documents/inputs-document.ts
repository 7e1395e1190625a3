// The inputs of a package beside its files, as stack documents and requests have them.
import { z } from 'zod'

export const mostValues = 1_000
export const mostSecrets = 200
const mostCharacters = 65_536

/** The name of an env reference, a parameter or a secret. */
const key = z.string().regex(/^[^\x00-\x1f\x7f]{1,300}$/, 'must be 1 to 300 characters, without control characters.')
const text = z.string().max(mostCharacters, `must have at most ${mostCharacters} characters.`)

export const valuesDocument = z
  .record(key, z.union([text, z.number(), z.boolean()], 'must be a text, a number, true or false.'))
  .refine((values) => Object.keys(values).length <= mostValues, `must have at most ${mostValues} entries.`)

/** Secret values. */
export const secretsDocument = secretMap(text.min(1, 'must not be empty.'))

/** References to secrets. A literal value would be stored in the database in plain text. */
export const secretReferencesDocument = secretMap(
  z
    .string()
    .regex(/^\$\{(?:env|file):[^}]+\}$/, 'must be ${env:NAME} or ${file:PATH}: this text is stored in the database.'),
)

/** Keys of values and secrets to remove. */
export const unsetDocument = z.array(key).max(mostValues, `must list at most ${mostValues} keys.`)

function secretMap(value: z.ZodString): z.ZodType<Record<string, string>, Record<string, string>> {
  return z
    .record(key, value)
    .refine((secrets) => Object.keys(secrets).length <= mostSecrets, `must have at most ${mostSecrets} entries.`)
    .describe("By key of the target's secret store.")
}
