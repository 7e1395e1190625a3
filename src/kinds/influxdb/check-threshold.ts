import type { Kind } from '../../model/kind.js'
import { checkKind, type CheckSpec } from './check.js'
import { readThresholds, writtenThresholds } from './thresholds.js'

/** Packages 1.7. Held: what every check has, and `thresholds`, in their order. */
export function checkThresholdKind(): Kind<CheckSpec> {
  return checkKind({
    kind: 'CheckThreshold',
    type: 'threshold',
    readOwn: (spec) => ({ thresholds: readThresholds(spec) }),
    declareOwn: ({ thresholds }) => ({ thresholds: writtenThresholds(thresholds) }),
  })
}
