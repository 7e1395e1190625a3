// The server of one target: its organisation, its version, and what the token may do, as long as they are known.
import type { Clock } from '../../../lib/clock.js'
import type { JsonObject } from '../../../model/json.js'
import type { Documents } from '../../../platform/documents.js'
import type { PlatformMeans } from '../../../platform/platform-means.js'
import { parseInterval } from '../../../settings/schema/interval.js'
import { ApiClient } from './api-client.js'
import type { InfluxdbSettings } from '../driver.js'
import { Fingerprints } from '../fingerprints.js'
import { Organisation } from '../organisation.js'
import { probePermissions } from './probe-permissions.js'
import { findOrganisation, readServer, type ServerFacts } from './server.js'
import { SharedWork } from '../shared-work.js'
import type { Writes } from '../writes.js'

/** A caller that may share what others read gets what was read in this time. */
export const sharedReadsMs = 5_000
const always = (): boolean => true
/** Version and permissions are read again after this time. */
const knownMs = 600_000

export interface KnownServer extends ServerFacts {
  readonly organisation: Organisation
}

export interface ReachableServerParts {
  /** Of the target. */
  readonly name: string
  readonly settings: JsonObject
  readonly token: string
  /** The id of the live system on its platform. */
  readonly system: string
  readonly writes: Writes
  readonly send: PlatformMeans['send']
  readonly clock: Clock
  readonly documents: Documents
}

export class ReachableServer {
  readonly name: string
  readonly settings: JsonObject
  readonly token: string
  readonly system: string
  readonly #parts: ReachableServerParts
  readonly #client: ApiClient
  readonly #found: SharedWork<Organisation>
  readonly #facts: SharedWork<ServerFacts>
  readonly #probed: SharedWork<readonly string[]>
  #organisation: Organisation | undefined
  #usedAt = 0

  constructor(parts: ReachableServerParts) {
    const { name, settings, token, system, send, clock } = parts
    const { url, limits } = settings as unknown as InfluxdbSettings
    this.name = name
    this.settings = settings
    this.token = token
    this.system = system
    this.#parts = parts
    this.#found = new SharedWork(clock)
    this.#facts = new SharedWork(clock)
    this.#probed = new SharedWork(clock)
    this.#client = new ApiClient({
      url: url.replace(/\/+$/, ''),
      token: () => token,
      target: name,
      concurrency: limits.concurrency,
      requestsPerSecond: limits.requestsPerSecond,
      requestMs: parseInterval(limits.request)!,
      send,
      clock,
    })
  }

  /** undefined: not known, or not used for a while. */
  get orgID(): string | undefined {
    return this.#parts.clock.elapsed() - this.#usedAt < knownMs ? this.#organisation?.orgID : undefined
  }

  /**
   * What is known of a server is kept. But InfluxDB lists nothing of a deleted organisation, and creates resources in
   * it: unless `mayShare`, the organisation is looked up again. Errors: those of requests; `Unavailable` if there is no
   * such organisation.
   */
  async reach(mayShare: boolean, signal: AbortSignal): Promise<KnownServer> {
    const { settings, token, clock } = this.#parts
    const { organisation: called } = settings as unknown as InfluxdbSettings
    this.#usedAt = clock.elapsed()
    const within = (ms: number) => (began: number) => clock.elapsed() - began < ms
    const find = (): Promise<Organisation> => this.#find(called, signal)
    const organisation = await this.#found.get('', within(mayShare ? knownMs : sharedReadsMs), find, signal)
    const { orgID } = organisation
    // InfluxDB has no way to change the permissions of a token.
    const probe = (): Promise<readonly string[]> =>
      this.#probed.get(orgID, always, () => probePermissions(this.#client, orgID, signal), signal)
    const read = (): ReturnType<typeof readServer> => readServer(this.#client, { token, orgID, probe }, signal)
    const facts = await this.#facts.get(orgID, within(knownMs), read, signal)
    return { ...facts, organisation, about: { ...facts.about, organisation: called, orgID } }
  }

  /** The same one as before, with what was read of it, unless it was deleted and made again. */
  async #find(called: string, signal: AbortSignal): Promise<Organisation> {
    const orgID = await findOrganisation(this.#client, called, signal)
    if (this.#organisation?.orgID === orgID) return this.#organisation
    const { documents, system, writes, clock } = this.#parts
    const fingerprints = new Fingerprints(documents, `${system} ${orgID}`)
    return (this.#organisation = new Organisation({ client: this.#client, orgID, fingerprints, clock, writes }))
  }
}
