import type { JsonObject } from '../../model/json.js'

/** The fields of a target's resource that are read here. */
interface FoundResource {
  readonly family: string
  readonly identity: string
  readonly state: JsonObject
}

/**
 * By `family/identity`, the resources that the target made itself and nobody declares: system buckets, and the tasks
 * that run checks and rules.
 */
export function systemResources(all: readonly FoundResource[]): ReadonlySet<string> {
  const buckets = all.filter(
    ({ family, state: { name } }) => family === 'Bucket' && typeof name === 'string' && name.startsWith('_'),
  )
  const owners = all.filter(({ family }) => family === 'Check' || family === 'NotificationRule')
  const tasks = owners.flatMap(({ state: { taskID } }) => (typeof taskID === 'string' ? [`Task/${taskID}`] : []))
  return new Set([...buckets.map(({ family, identity }) => `${family}/${identity}`), ...tasks])
}
