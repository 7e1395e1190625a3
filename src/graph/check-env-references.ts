import { printable, quoted } from '../lib/text/printable.js'
import type { Steps } from '../lib/async/steps.js'
import type { Document, EnvReference } from '../model/resources/document.js'
import { problemAt, shownPlace, type Problem } from '../model/problem.js'
import type { Resource } from '../model/resources/resource.js'
import type { Declarations, Declared } from './declared.js'

/**
 * Errors of env keys that are used both as a credential and in another field, because plans and summaries would show
 * the credential. The other resource becomes unusable. A step for each resource.
 */
export function* refuseShownCredentials({ all }: Declarations): Steps<readonly Problem[]> {
  const uses: { readonly declared: Declared; readonly reference: EnvReference }[] = []
  for (const declared of all) {
    yield
    if (declared.spec === undefined) continue
    for (const reference of declared.kind.inputs?.envReferences(declared.spec) ?? []) uses.push({ declared, reference })
  }
  const credentials = new Map<string, string>()
  for (const { declared, reference } of uses)
    if (reference.unlisted === true) credentials.set(reference.key, fieldLocation(reference.field, declared.document))
  return uses.flatMap(({ declared, reference: { key, field, unlisted } }) => {
    const credential = credentials.get(key)
    if (unlisted === true || credential === undefined) return []
    declared.hasErrors = true
    const other = fieldLocation(field, declared.document)
    const message = `${other} uses the env key ${quoted(key)}, which ${credential} uses as a credential.`
    const hint = 'Use another key here. The value of a credential must not be shown elsewhere.'
    return [problemAt('error', declared.document.place, { code: 'graph/shown-credential', message, hint })]
  })
}

/** Names the document by kind and line: its name may itself be the secret. */
function fieldLocation(field: string, { kind, place }: Document): string {
  return `${field} of the ${printable(kind)} at ${shownPlace(place)}`
}

/**
 * Warnings of env references that have no value and no default, one for each key: they get a placeholder. A step for
 * each resource.
 */
export function* warnMissingValues(resources: readonly Resource[]): Steps<readonly Problem[]> {
  const reported = new Set<string>()
  const problems: Problem[] = []
  for (const { kind, spec, address, document } of resources) {
    yield
    for (const { key, value, defaultValue, mayBeMissing } of kind.inputs?.envReferences(spec) ?? []) {
      if (value !== undefined || defaultValue !== undefined || mayBeMissing === true || reported.has(key)) continue
      reported.add(key)
      const missing = `${printable(address)}: the env reference ${quoted(key)} has no value and no default`
      const message = `${missing}; ${quoted(`env-${key}`)} is used instead.`
      const hint = 'Set it: `values` of the stack, or `gitmoor stack push NAME -f FILE --env-ref KEY=VALUE`.'
      problems.push(problemAt('warning', document.place, { code: 'graph/no-value', message, hint }))
    }
  }
  return problems
}
