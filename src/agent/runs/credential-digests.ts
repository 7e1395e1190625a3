import { createHash } from 'node:crypto'
import { describeError } from '../../model/errors.js'
import { isReferring, resolveValue, type ValueLookup } from '../../secrets/resolve-value.js'
import type { Target } from '../../platform/platform.js'

/** By target, a digest of the values that its settings refer to. A value that cannot be read counts by its error. */
export function credentialDigests(targets: readonly Target[], lookup: ValueLookup): ReadonlyMap<string, string> {
  return new Map(
    targets.map(({ name, settings }) => {
      const values = Object.values(settings)
        .filter(isReferring)
        .map((text) => valueOrError(text, lookup))
      return [name, createHash('sha256').update(JSON.stringify(values)).digest('hex')]
    }),
  )
}

function valueOrError(text: string, lookup: ValueLookup): string {
  try {
    return resolveValue(text, lookup)
  } catch (error) {
    return describeError(error)
  }
}
