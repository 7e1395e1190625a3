// Whether tasks, checks, rules and endpoints work, as an InfluxDB server reports it.
import type { KindHealth } from '../../model/resources/kind.js'

/** Of what a task runs. The server gives `lastRunStatus` (`success`, `failed`, `canceled`) and `lastRunError`. */
export const runHealth: KindHealth = {
  unhealthy: ({ readOnly: { lastRunStatus, lastRunError } = {} }) => {
    if (lastRunStatus !== 'failed') return undefined
    const error = typeof lastRunError === 'string' ? lastRunError.trim() : ''
    return error === '' ? 'The last run failed.' : `The last run failed: ${error.replace(/\.$/, '')}.`
  },
}

/** Of an endpoint: rules send nothing to an inactive one, also if its package declares it inactive. */
export const endpointHealth: KindHealth = {
  unhealthy: ({ actual: { status } }) =>
    typeof status === 'string' && status.trim().toLowerCase() === 'inactive'
      ? 'The endpoint is inactive, so it gets no notifications.'
      : undefined,
}
