import type { JsonObject } from '../../../model/json.js'
import { thresholdDocuments } from './thresholds.js'
import { wireIds, queryDocument, wireTimes, type Wire } from '../wire.js'

/** The InfluxDB API's form of a check. Its status is beside the check in a summary, and inside it in a diff. */
export const checkWire: Wire = {
  diff: (held, context) => ({ ...wireIds(context), ...checkDocument(held), status: held['status'] ?? '' }),
  summary: (held, context) => ({
    check: { ...wireIds(context), ...checkDocument(held) },
    status: held['status'] ?? '',
  }),
}

function checkDocument(held: JsonObject): JsonObject {
  const { name, description, every, offset, query, statusMessageTemplate, tags, type } = held
  return {
    name: name ?? '',
    description: description ?? '',
    every: every ?? '',
    offset: offset ?? '',
    query: queryDocument(query ?? '', ''),
    statusMessageTemplate: statusMessageTemplate ?? '',
    tags: tags ?? [],
    type: type ?? '',
    ...wireTimes(held),
    ...(held['taskID'] === undefined ? {} : { taskID: held['taskID'] }),
    ...(type === 'deadman' ? deadman(held) : { thresholds: thresholdDocuments(held['thresholds']) }),
  }
}

function deadman({ level, timeSince, staleTime, reportZero }: JsonObject): JsonObject {
  return { level: level ?? '', timeSince: timeSince ?? '', staleTime: staleTime ?? '', reportZero: reportZero ?? false }
}
