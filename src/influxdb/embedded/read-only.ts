// Fields that InfluxDB sets itself: two times in most resources, and the task that runs a check or notification rule.
import { createHash } from 'node:crypto'
import type { JsonObject } from '../../model/json.js'
import type { Observed } from '../../model/resources/resource.js'
import type { Times } from '../../platform/documents.js'

/** Families whose documents have times, and whether a task runs each of them. */
const families: Readonly<Record<string, { readonly hasTask: boolean }>> = {
  Bucket: { hasTask: false },
  Check: { hasTask: true },
  Dashboard: { hasTask: false },
  NotificationEndpoint: { hasTask: false },
  NotificationRule: { hasTask: true },
  Task: { hasTask: false },
  Variable: { hasTask: false },
}

interface Dated extends Times {
  readonly id: string
}

/** Unknown fields are absent. */
export function readOnlyFields(family: string, { id, createdAt, updatedAt }: Dated): Pick<Observed, 'readOnly'> {
  const found = Object.hasOwn(families, family) ? families[family] : undefined
  if (found === undefined) return {}
  return {
    readOnly: {
      ...timeField('createdAt', createdAt),
      ...timeField('updatedAt', updatedAt),
      ...(found.hasTask ? { taskID: taskId(id) } : {}),
    },
  }
}

/** In the format of Go: without trailing zeros of the fraction. A damaged row may have an invalid time. */
function timeField(field: string, at: number | null): JsonObject {
  if (at === null || Number.isNaN(new Date(at).getTime())) return {}
  return { [field]: new Date(at).toISOString().replace(/\.?0*Z$/, 'Z') }
}

/** Derived from the owner's id, so it exists exactly as long as the owner. */
function taskId(id: string): string {
  return createHash('sha256').update(`task/${id}`).digest('hex').slice(0, 16)
}
