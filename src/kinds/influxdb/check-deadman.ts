import type { JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/kind.js'
import { checkKind, type CheckSpec } from './check.js'
import type { Fields } from './fields.js'
import { readOptionalLevel } from './level.js'
import type { Means } from './means.js'
import { readSpan, writtenSpan } from './span.js'
import { written } from './written.js'

/** State: the fields of every check, and `{level, timeSince, staleTime, reportZero}`. */
export function checkDeadmanKind({ flux }: Pick<Means, 'flux'>): Kind<CheckSpec> {
  return checkKind({ kind: 'CheckDeadman', type: 'deadman', readOwn, declareOwn }, flux)
}

function readOwn(spec: Fields): JsonObject {
  return {
    level: readOptionalLevel(spec, 'level', '/spec/level'),
    timeSince: readSpan(spec, 'timeSince'),
    staleTime: readSpan(spec, 'staleTime'),
    reportZero: spec.boolean('reportZero') ?? false,
  }
}

function declareOwn({ level, timeSince, staleTime, reportZero }: JsonObject): JsonObject {
  return written({ level, timeSince: writtenSpan(timeSince), staleTime: writtenSpan(staleTime), reportZero })
}
