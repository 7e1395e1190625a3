import type { Document } from '../model/document.js'
import { printable, quoted } from '../model/printable.js'
import { problemAt, type Problem } from '../model/problem.js'
import type { Declarations } from './declared.js'

/**
 * Errors of env keys that both a credential and another field use: plans and summaries would show the credential. The
 * other resource becomes unusable.
 */
export function refuseShownCredentials({ all }: Declarations): readonly Problem[] {
  const uses = all.flatMap((declared) =>
    declared.spec === undefined
      ? []
      : (declared.kind.envReferences?.(declared.spec) ?? []).map((reference) => ({ declared, reference })),
  )
  const credentials = new Map<string, string>()
  for (const { declared, reference } of uses)
    if (reference.unlisted === true) credentials.set(reference.key, whereOf(reference.field, declared.document))
  return uses.flatMap(({ declared, reference: { key, field, unlisted } }) => {
    const credential = credentials.get(key)
    if (unlisted === true || credential === undefined) return []
    declared.spoilt = true
    const message = `${whereOf(field, declared.document)} uses the env key ${quoted(key)}, which ${credential} takes as a credential.`
    const hint = 'What a credential takes may not be shown elsewhere: use another key here.'
    return [problemAt('error', declared.document.place, { code: 'graph/shown-credential', message, hint })]
  })
}

/** Names the document by kind and line: its name may itself be the secret. */
function whereOf(field: string, { kind, place }: Document): string {
  return `${field} of the ${printable(kind)} at ${printable(place.file)}:${place.line}`
}
