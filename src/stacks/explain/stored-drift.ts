import { isoTime } from '../../lib/text/time-text.js'
import type { DriftedField } from '../../model/resources/drift.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { StoredDrift } from '../../store/stack-table.js'
import type { DriftView } from '../../views/explanation.js'

type FieldView = DriftView['resources'][number]['fields'][number]

/** `found`: undefined: the stack has no drift, or it is not known which. */
export function viewDrift(stack: Stack, found: StoredDrift | undefined): DriftView {
  const checkedAt = found?.checkedAt ?? stack.checkedAt
  return {
    checkedAt: checkedAt === null ? null : isoTime(checkedAt),
    since: stack.driftedSince === null ? null : isoTime(stack.driftedSince),
    total: stack.drifted,
    resources: (found?.resources ?? []).map((one) => ({ ...one, fields: one.fields.map(viewField) })),
    shared: found?.shared ?? [],
  }
}

function viewField({ old: actual, new: applied, ...rest }: DriftedField): FieldView {
  return { ...rest, ...(applied === undefined ? {} : { applied }), ...(actual === undefined ? {} : { actual }) }
}
