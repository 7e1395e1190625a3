// Warns of given values and secrets that the package does not use, often because of a typo in a key.
import { quoted } from '../../lib/text/printable.js'
import type { Problem } from '../../model/problem.js'
import type { Resource } from '../../model/resources/resource.js'
import type { Inputs } from '../../model/resources/inputs.js'
import { didYouMean } from '../../settings/did-you-mean.js'
import { namedSecrets } from './secret-resources.js'

/** Limits of the search for a similar key: searched keys, candidates, and characters of a key. */
const mostSearched = 20
const mostCandidates = 1_000
const mostKeyCharacters = 200

/** Warnings of values and secrets that nothing in the package names. `field`: their field in a request. */
export function warnUnused(resources: readonly Resource[], { values, secrets }: Inputs): readonly Problem[] {
  const keys = resources.flatMap(({ kind, spec }) => (kind.inputs?.envReferences(spec) ?? []).map(({ key }) => key))
  const plain = [...values].flatMap(([key]) => (secrets.has(key) ? [] : [key]))
  return [
    ...unusedKeys(plain, new Set(keys)).map(({ key, hint }) => {
      const message = `A value is given for ${quoted(key)}, but the package has no such env key.`
      return { severity: 'warning' as const, code: 'stacks/unused-value', message, field: 'envRefs', hint }
    }),
    ...unusedKeys(secrets.keys(), new Set([...namedSecrets(resources), ...keys])).map(({ key, hint }) => {
      const message = `A secret is given for ${quoted(key)}, but the package does not use it. It is not written.`
      return { severity: 'warning' as const, code: 'stacks/unused-secret', message, field: 'secrets', hint }
    }),
  ]
}

function unusedKeys(
  given: Iterable<string>,
  used: ReadonlySet<string>,
): readonly { readonly key: string; readonly hint: string }[] {
  const candidates = [...used].filter(isShort).slice(0, mostCandidates)
  const unused = [...given].filter((key) => !used.has(key)).sort()
  return unused.map((key, at) => {
    const question = at < mostSearched && isShort(key) ? didYouMean(key, candidates) : undefined
    return { key, hint: question ?? 'Remove it, or check the key for a typo.' }
  })
}

function isShort({ length }: string): boolean {
  return length <= mostKeyCharacters
}
