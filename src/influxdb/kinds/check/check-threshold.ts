import type { JsonObject } from '../../../model/json.js'
import type { Kind } from '../../../model/resources/kind.js'
import { checkKind, type CheckSpec } from './check.js'
import type { Fields } from '../fields/fields.js'
import type { FluxFacts } from '../flux/flux.js'
import type { KindContext } from '../kind-context.js'
import { readThresholds, exportedThresholds } from './thresholds.js'

/** State: the fields of every check, and `thresholds` in declared order. */
export function checkThresholdKind({ flux }: Pick<KindContext, 'flux'>): Kind<CheckSpec> {
  const nature = {
    kind: 'CheckThreshold',
    type: 'threshold',
    readOwn: (spec: Fields): JsonObject => ({ thresholds: readThresholds(spec) }),
    remarkQuery: remarkOtherFields,
    declareOwn: ({ thresholds }: JsonObject): JsonObject => ({ thresholds: exportedThresholds(thresholds) }),
  }
  return checkKind(nature, flux)
}

/**
 * InfluxDB compares the thresholds with the one field that the query filters by. This is only a warning, because
 * InfluxDB's dry run accepts such a package.
 */
function remarkOtherFields(spec: Fields, { fields }: FluxFacts): void {
  if (fields === 1) return
  const message =
    'InfluxDB refuses a threshold check unless its query compares _field with exactly one text; ' +
    `this query has ${fields} such comparisons`
  spec.warning('query', 'refused-by-influxdb', message, 'Filter by one field, such as r._field == "usage_user".')
}
