// Why the declaration of a resource changed: the package, an input of it, or a person who moved the stack to another
// revision.
import type { ChangeReason, FieldChange, RevisionDecision } from '../model/resources/change.js'
import { Secret, type JsonObject } from '../model/json.js'
import type { Resource } from '../model/resources/resource.js'
import { fieldChanges } from './diff.js'
import type { PlanInput } from './plan-input.js'

/** The reason of a change that follows from the package: a person's decision, if one moved the stack. */
export function revisionReason(reason: ChangeReason, decision: RevisionDecision | undefined): ChangeReason {
  const isOfPackage = reason === 'added' || reason === 'edited' || reason === 'dropped'
  return isOfPackage && decision !== undefined ? decision : reason
}

/** The same for a declared resource. `applied`: its last declaration; both are normalized, without ignored fields. */
export function declaredReason(
  reason: ChangeReason,
  { kind, spec, document }: Resource,
  { applied, desired }: { readonly applied: JsonObject | undefined; readonly desired: JsonObject },
  { decision, unchangedFiles }: Pick<PlanInput, 'decision' | 'unchangedFiles'>,
): ChangeReason {
  const edits = reason === 'edited' && applied !== undefined ? fieldChanges(applied, desired) : []
  if (edits.length > 0 && edits.every(isSecret)) return 'secret'
  const isOfInputs = edits.length > 0 && unchangedFiles?.has(document.place.file) === true
  const takesValues = isOfInputs && (kind.inputs?.envReferences(spec) ?? []).length > 0
  return takesValues ? 'value' : revisionReason(reason, decision)
}

function isSecret({ new: desired }: FieldChange): boolean {
  return desired instanceof Secret
}
