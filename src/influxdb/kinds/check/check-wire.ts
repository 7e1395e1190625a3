import type { JsonObject } from '../../../model/json.js'
import { thresholdDocuments } from './thresholds.js'
import { wireIds, queryDocument, wireTimes, type Wire } from '../wire.js'

/** The InfluxDB API's form of a check. Its status is beside the check in a summary, and inside it in a diff. */
export const checkWire: Wire = {
  diff: (state, context) => ({ ...wireIds(context), ...checkDocument(state), status: state['status'] ?? '' }),
  summary: (state, context) => ({
    check: { ...wireIds(context), ...checkDocument(state) },
    status: state['status'] ?? '',
  }),
}

function checkDocument(state: JsonObject): JsonObject {
  const { name, description, every, offset, query, statusMessageTemplate, tags, type } = state
  return {
    name: name ?? '',
    description: description ?? '',
    every: every ?? '',
    offset: offset ?? '',
    query: queryDocument(query ?? '', ''),
    statusMessageTemplate: statusMessageTemplate ?? '',
    tags: tags ?? [],
    type: type ?? '',
    ...wireTimes(state),
    ...(state['taskID'] === undefined ? {} : { taskID: state['taskID'] }),
    ...(type === 'deadman' ? deadman(state) : { thresholds: thresholdDocuments(state['thresholds']) }),
  }
}

function deadman({ level, timeSince, staleTime, reportZero }: JsonObject): JsonObject {
  return { level: level ?? '', timeSince: timeSince ?? '', staleTime: staleTime ?? '', reportZero: reportZero ?? false }
}
