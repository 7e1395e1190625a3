// Whether tasks, checks, rules and endpoints work, as an InfluxDB server reports it.
import type { Json } from '../../model/json.js'
import type { KindHealth } from '../../model/resources/kind.js'

/** Of what a task runs. The server gives `lastRunStatus` (`success`, `failed`, `canceled`) and `lastRunError`. */
export const runHealth: KindHealth = {
  unhealthy: ({ readOnly: { lastRunStatus, lastRunError } = {} }) => {
    if (lastRunStatus !== 'failed') return undefined
    const error = typeof lastRunError === 'string' ? lastRunError.trim() : ''
    return isOutcome(error) ? 'The last run failed.' : `The last run failed: ${error.replace(/\.$/, '')}.`
  },
}

/** True for a `lastRunError` that names no cause: InfluxDB gives the message before the last one of the run's log. */
export function isOutcome(lastRunError: Json | undefined): boolean {
  return typeof lastRunError !== 'string' || /^(?:Completed\(\w*\))?$/.test(lastRunError.trim())
}

/** Of an endpoint: rules send nothing to an inactive one, also if its package declares it inactive. */
export const endpointHealth: KindHealth = {
  isIdle: true,
  unhealthy: ({ actual: { status } }) =>
    typeof status === 'string' && status.trim().toLowerCase() === 'inactive'
      ? 'The endpoint is inactive, so it gets no notifications.'
      : undefined,
}
