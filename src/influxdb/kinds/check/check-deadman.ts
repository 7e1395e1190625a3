import type { JsonObject } from '../../../model/json.js'
import type { Kind } from '../../../model/resources/kind.js'
import { checkKind, type CheckSpec } from './check.js'
import type { Fields } from '../fields/fields.js'
import { readOptionalLevel, unknownLevel } from '../fields/level.js'
import type { KindContext } from '../kind-context.js'
import { readSpan, exportedSpan } from '../fields/span.js'
import { exportedFields } from '../state.js'

/** State: the fields of every check, and `{level, timeSince, staleTime, reportZero}`. */
export function checkDeadmanKind({ flux }: Pick<KindContext, 'flux'>): Kind<CheckSpec> {
  return checkKind({ kind: 'CheckDeadman', type: 'deadman', readOwn, declareOwn }, flux)
}

function readOwn(spec: Fields): JsonObject {
  const level = readOptionalLevel(spec, 'level', '/spec/level')
  if (level === unknownLevel)
    spec.warning(
      'level',
      'refused-by-influxdb',
      'the check has no level, so InfluxDB stores UNKNOWN, and each of its runs fails',
      'Write a level: CRIT, WARN, INFO or OK.',
    )
  return {
    level,
    timeSince: readSpan(spec, 'timeSince'),
    staleTime: readSpan(spec, 'staleTime'),
    reportZero: spec.boolean('reportZero') ?? false,
  }
}

function declareOwn({ level, timeSince, staleTime, reportZero }: JsonObject): JsonObject {
  return exportedFields({ level, timeSince: exportedSpan(timeSince), staleTime: exportedSpan(staleTime), reportZero })
}
