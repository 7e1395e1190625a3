// An organisation of an InfluxDB server, as drivers use it.
import type { Clock } from '../../lib/clock.js'
import type { ApiClient, ApiRequest } from './server/api-client.js'
import { Rejected } from '../../model/errors.js'
import type { Json } from '../../model/json.js'
import type { Fingerprints } from './fingerprints.js'
import { families, listIn } from './families.js'
import { Readings } from './readings.js'
import { RunFailures } from './run-failures.js'
import { SharedWork } from './shared-work.js'
import type { Writes } from './writes.js'

export interface OrganisationParts {
  readonly client: ApiClient
  readonly orgID: string
  readonly fingerprints: Fingerprints
  readonly clock: Clock
  /** Of the organisation, by any target. */
  readonly writes: Writes
}

export class Organisation {
  readonly client: ApiClient
  readonly orgID: string
  readonly fingerprints: Fingerprints
  readonly readings: Readings
  readonly runFailures: RunFailures
  readonly clock: Clock
  readonly #writes: Writes
  readonly #stored: SharedWork<ReadonlySet<string> | undefined>

  constructor({ client, orgID, fingerprints, clock, writes }: OrganisationParts) {
    this.client = client
    this.orgID = orgID
    this.fingerprints = fingerprints
    this.readings = new Readings({ client, clock, orgID, writes })
    this.runFailures = new RunFailures(client, clock)
    this.clock = clock
    this.#writes = writes
    this.#stored = new SharedWork(clock)
  }

  /** Elapsed milliseconds, for `since` of readings. */
  now(): number {
    return this.clock.elapsed()
  }

  /** A request that changes these families. Errors: those of `ApiClient.request`. */
  async write(changed: readonly string[], request: ApiRequest, signal: AbortSignal): Promise<Json | undefined> {
    for (const family of changed) this.#writes.note(family)
    try {
      return await this.client.request(request, signal)
    } finally {
      for (const family of changed) this.#writes.note(family)
    }
  }

  /** The keys of all secrets, sorted. */
  async secretKeys(signal: AbortSignal): Promise<readonly string[]> {
    const path = `/api/v2/orgs/${this.orgID}/secrets`
    const keys = listIn(await this.client.request({ method: 'GET', path }, signal), 'secrets', path)
    return keys.filter((key) => typeof key === 'string').sort()
  }

  /**
   * The keys of all secrets; connections share a reading. `since`: elapsed milliseconds; what was read before does not
   * count. undefined: the token may not list them. Errors: other ones of the request.
   */
  storedSecrets(since: number, signal: AbortSignal): Promise<ReadonlySet<string> | undefined> {
    const accepts = (began: number): boolean =>
      began >= since && ['Secret', 'NotificationEndpoint'].every((family) => this.#writes.isAfter(began, family))
    const read = async (): Promise<ReadonlySet<string> | undefined> => {
      try {
        return new Set(await this.secretKeys(signal))
      } catch (error) {
        if (error instanceof Rejected) return undefined
        throw error
      }
    }
    return this.#stored.get('', accepts, read, signal)
  }

  /** Removes secrets; missing ones are ignored. */
  async deleteSecrets(keys: readonly string[], signal: AbortSignal): Promise<void> {
    if (keys.length === 0) return
    await this.fingerprints.forget(keys)
    const path = `/api/v2/orgs/${this.orgID}/secrets/delete`
    await this.write(['Secret'], { method: 'POST', path, body: { secrets: keys }, repeatable: true }, signal)
  }

  /** The address of a resource. */
  pathOf(family: string, id: string): string {
    return `${families[family]!.path}/${encodeURIComponent(id)}`
  }
}
