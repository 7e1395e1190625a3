// What was read of one organisation: connections share listings, so a round of drift checks of many stacks reads each
// family once.
import type { Clock } from '../../lib/clock.js'
import { NotFound } from './server/api-errors.js'
import type { ApiClient } from './server/api-client.js'
import { ageOf } from './traces.js'
import { families, listFamily, resourceOf, type ApiResource } from './families.js'
import { SharedWork } from './shared-work.js'
import type { Writes } from './writes.js'

/** So many resources of a family are read one by one; more with one listing. */
export const fewResources = 4
/** In this time, only so many resources of a family are read one by one for callers that share listings. */
const fewMs = 2_000
/** InfluxDB refuses a request for any other. */
const idForm = /^[0-9a-f]{16}$/
/** Readings are dropped after this time. */
const keptMs = 30_000

export interface ReadingsParts {
  readonly client: ApiClient
  readonly clock: Clock
  readonly orgID: string
  /** Of the organisation, by any target. */
  readonly writes: Writes
}

export class Readings {
  readonly #client: ApiClient
  readonly #clock: Clock
  readonly #orgID: string
  readonly #writes: Writes
  readonly #newest = new Map<string, string>()
  /** Resources that were read one by one since a time. */
  readonly #few = new Map<string, { readonly since: number; readonly count: number }>()
  readonly #listings: SharedWork<ReadonlyMap<string, ApiResource>>
  readonly #ones: SharedWork<ApiResource | undefined>
  #swept = 0

  constructor({ client, clock, orgID, writes }: ReadingsParts) {
    this.#client = client
    this.#clock = clock
    this.#orgID = orgID
    this.#writes = writes
    this.#listings = new SharedWork(clock)
    this.#ones = new SharedWork(clock)
  }

  /**
   * Resources by id; missing ones are absent, and what cannot be an id. `since`: elapsed milliseconds; what was read
   * before does not count. Errors: those of requests.
   */
  async byId(
    family: string,
    ids: readonly string[],
    since: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ApiResource>> {
    const wanted = [...new Set(ids)].filter((id) => idForm.test(id))
    // A listing of dashboards lacks their charts.
    if (family === 'Dashboard') return this.#each(family, wanted, since, signal)
    const isListed = this.#listings.has(family, this.#accepts(family, since))
    if (wanted.length > fewResources || isListed || this.#areManyRead(family, wanted.length, since)) {
      const all = await this.listing(family, since, signal)
      // A listing may lack what was moved between its pages, and what the token must not read.
      const missing = wanted.filter((id) => !all.has(id))
      return missing.length === 0 ? all : new Map([...all, ...(await this.#each(family, missing, since, signal))])
    }
    return this.#each(family, wanted, since, signal)
  }

  /** A round of drift checks reads a few resources for each stack: soon one listing for all of them costs less. */
  #areManyRead(family: string, count: number, since: number): boolean {
    const now = this.#clock.elapsed()
    const mayShare = now - since >= fewMs
    const before = this.#few.get(family)
    const few =
      before === undefined || now - before.since > fewMs
        ? { since: now, count }
        : { ...before, count: before.count + count }
    if (mayShare) this.#few.set(family, few)
    return mayShare && few.count > 2 * fewResources
  }

  /** All resources of a family by id. `since`: as above. */
  listing(family: string, since: number, signal: AbortSignal): Promise<ReadonlyMap<string, ApiResource>> {
    this.#sweep()
    const read = async (): Promise<ReadonlyMap<string, ApiResource>> => {
      const all = await listFamily(family, { client: this.#client, orgID: this.#orgID }, signal)
      for (const one of all.values()) this.seen(family, one)
      return all
    }
    return this.#listings.get(family, this.#accepts(family, since), read, signal)
  }

  /** The age of the newest resource of a family that was seen, as `ageOf` gives it; '' before any was. */
  newest(family: string): string {
    return this.#newest.get(family) ?? ''
  }

  /** A resource of the family was read, or made. */
  seen(family: string, one: ApiResource): void {
    const age = ageOf(one)
    if (age > this.newest(family)) this.#newest.set(family, age)
  }

  async #each(
    family: string,
    ids: readonly string[],
    since: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ApiResource>> {
    const read = await Promise.all(ids.map((id) => this.#one(family, id, since, signal)))
    return new Map(read.flatMap((one) => (one === undefined ? [] : [[one.id, one] as const])))
  }

  #one(family: string, id: string, since: number, signal: AbortSignal): Promise<ApiResource | undefined> {
    this.#sweep()
    const read = async (): Promise<ApiResource | undefined> => {
      try {
        const more = family === 'Dashboard' ? '?include=properties' : ''
        const path = `${families[family]!.path}/${encodeURIComponent(id)}${more}`
        const found = resourceOf(await this.#client.request({ method: 'GET', path }, signal), path)
        return found['orgID'] === this.#orgID ? found : undefined
      } catch (error) {
        if (error instanceof NotFound) return undefined
        throw error
      }
    }
    return this.#ones.get(`${family}/${id}`, this.#accepts(family, since), read, signal)
  }

  #sweep(): void {
    const oldest = this.#clock.elapsed() - keptMs
    if (this.#swept > oldest) return
    this.#swept = this.#clock.elapsed()
    this.#listings.sweep(oldest)
    this.#ones.sweep(oldest)
  }

  /** What began after that time, and after the last write to the family. */
  #accepts(family: string, since: number): (began: number) => boolean {
    return (began) => began >= since && this.#writes.isAfter(began, family)
  }
}
