// What a token lacks, where the server does not show its permissions: by requests that it refuses in any case.
import { SyncError } from '../../../model/errors.js'
import type { JsonObject } from '../../../model/json.js'
import type { ApiClient, ApiRequest } from './api-client.js'

const noEndpoint = '0000000000000001'

/**
 * Invalid in a way that InfluxDB 2.9 finds after a missing permission, and before it writes. Faults of a label, a
 * dashboard, a variable or a Telegraf configuration come before it, and an empty change of secrets is a write in Vault:
 * these permissions are not probed.
 */
const invalid: Readonly<Record<string, JsonObject>> = {
  buckets: { name: '_gitmoor', retentionRules: [] },
  checks: { type: 'deadman', name: '', status: 'inactive', query: { text: '' }, every: '1m' },
  notificationEndpoints: { type: 'slack', name: '', status: 'inactive', url: '' },
  notificationRules: { type: 'slack', name: '', status: 'inactive', endpointID: noEndpoint, every: '1m' },
  tasks: { flux: 'x' },
}

/** The permissions that `probePermissions` finds. */
export const probedPermissions: readonly string[] = [
  'read:secrets',
  ...Object.keys(invalid).map((type) => `write:${type}`),
]

/**
 * Those of them that the token lacks. Changes nothing. A request that fails otherwise counts as permitted. Errors: the
 * reason of `signal`.
 */
export async function probePermissions(
  client: ApiClient,
  orgID: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const requests: readonly ApiRequest[] = [
    { method: 'GET', path: `/api/v2/orgs/${orgID}/secrets` },
    ...Object.entries(invalid).map(
      ([type, body]) => ({ method: 'POST', path: `/api/v2/${type}`, body: { orgID, ...body } }) as const,
    ),
  ]
  const refused = await Promise.all(requests.map((request) => isRefused(client, request, signal)))
  return probedPermissions.filter((_, at) => refused[at])
}

async function isRefused(client: ApiClient, request: ApiRequest, signal: AbortSignal): Promise<boolean> {
  try {
    await client.request(request, signal)
    return false
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof SyncError)) throw error
    return error.code === 'influxdb/no-permission'
  }
}
