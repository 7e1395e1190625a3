// `keys` of the configuration file: the public keys that verify signed releases.
import { z } from 'zod'
import { invalidField, asMap, unresolvedTextProblems } from './entry-problems.js'
import type { Problem } from '../model/problem.js'
import { resolveValue, type ValueLookup } from '../secrets/resolve-value.js'
import { signingKeyProblem, type SigningKey } from '../secrets/signing-keys.js'
import type { YamlFile } from '../settings/schema/read-yaml.js'
import { strictObject } from '../settings/schema/strict-object.js'

export const signingKeyDocument = strictObject({ gpg: z.string().optional(), ssh: z.string().optional() }).refine(
  ({ gpg, ssh }) => (gpg === undefined) !== (ssh === undefined),
  'must have exactly one of gpg and ssh.',
)

/** Of a document without problems. */
export function toSigningKey(name: string, { gpg, ssh }: z.output<typeof signingKeyDocument>): SigningKey {
  return gpg === undefined ? { name, kind: 'ssh', text: ssh! } : { name, kind: 'gpg', text: gpg }
}

/** Missing values, and values that are not public keys. */
export function signingKeyProblems(file: YamlFile, lookup: ValueLookup): readonly Problem[] {
  return Object.entries(asMap(asMap(file.value)['keys'])).flatMap(([name, entry]) =>
    (['gpg', 'ssh'] as const).flatMap((kind) => {
      const text = asMap(entry)[kind]
      const unresolved = unresolvedTextProblems(file, ['keys', name], [kind], lookup)
      if (typeof text !== 'string' || unresolved.length > 0) return unresolved
      const wrong = signingKeyProblem(kind, resolveValue(text, lookup))
      return wrong === undefined ? [] : [invalidField(file, ['keys', name, kind], wrong)]
    }),
  )
}
