import { placeOf } from '../model/source-spec.js'
import type { StackSpec } from '../model/stack.js'
import type { StackChange } from '../store/store.js'

/**
 * What is written down of other settings. From another place nothing was applied yet: whether the target is as declared
 * there is not known.
 */
export function settingsChange(before: StackSpec, spec: StackSpec): StackChange {
  return { spec, ...(placeOf(before) === placeOf(spec) ? {} : { checkedAt: null }) }
}
