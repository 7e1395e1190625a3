// What somebody gave for a package, and the package does not ask for: often a slip in a key. It stops nothing.
import { quoted } from '../../lib/printable.js'
import type { Problem } from '../../model/problem.js'
import type { Resource } from '../../model/resource.js'
import type { Inputs } from '../../model/inputs.js'
import { didYouMean } from '../../settings/strict-object.js'
import { namedSecrets } from './secret-resources.js'

/** Looking for what was meant takes time: of so many keys, among so many, of so many characters. */
const mostMeant = 20
const mostAsked = 1_000
const mostKeyCharacters = 200

/** Warnings of values and secrets that nothing in the package names. `field`: their field in InfluxDB's requests. */
export function warnUnused(resources: readonly Resource[], { values, secrets }: Inputs): readonly Problem[] {
  const keys = resources.flatMap(({ kind, spec }) => (kind.envReferences?.(spec) ?? []).map(({ key }) => key))
  return [
    ...unusedKeys(values.keys(), new Set(keys)).map(({ key, hint }) => {
      const message = `A value is supplied for ${quoted(key)}, and nothing in the package has this env key.`
      return { severity: 'warning' as const, code: 'stacks/unused-value', message, field: 'envRefs', hint }
    }),
    ...unusedKeys(secrets.keys(), namedSecrets(resources)).map(({ key, hint }) => {
      const message = `A secret is supplied for ${quoted(key)}, and nothing in the package names it: it is not written.`
      return { severity: 'warning' as const, code: 'stacks/unused-secret', message, field: 'secrets', hint }
    }),
  ]
}

function unusedKeys(
  given: Iterable<string>,
  asked: ReadonlySet<string>,
): readonly { readonly key: string; readonly hint: string }[] {
  const near = [...asked].filter(isShort).slice(0, mostAsked)
  const unused = [...given].filter((key) => !asked.has(key)).sort()
  return unused.map((key, at) => {
    const meant = at < mostMeant && isShort(key) ? didYouMean(key, near) : undefined
    return {
      key,
      hint: meant === undefined ? 'Leave it out, or look for a slip in the key.' : `Did you mean ${quoted(meant)}?`,
    }
  })
}

function isShort({ length }: string): boolean {
  return length <= mostKeyCharacters
}
