// What was read of one organisation: connections share listings, so a round of drift checks of many stacks reads each
// family once.
import type { Clock } from '../../lib/clock.js'
import { NotFound } from './api-errors.js'
import type { ApiClient } from './api-client.js'
import { ageOf } from './traces.js'
import { families, listFamily, resourceOf, type ApiResource } from './families.js'

/** So many resources of a family are read one by one; more with one listing. */
export const fewResources = 4
/** InfluxDB refuses a request for any other. */
const idForm = /^[0-9a-f]{16}$/
/** Readings are dropped after this time. */
const keptMs = 30_000

/** `began`: elapsed milliseconds. */
interface Reading<T> {
  readonly began: number
  readonly result: Promise<T>
}

export class Readings {
  readonly #client: ApiClient
  readonly #clock: Clock
  readonly #orgID: string
  readonly #listings = new Map<string, Reading<ReadonlyMap<string, ApiResource>>>()
  readonly #ones = new Map<string, Reading<ApiResource | undefined>>()
  /** When gitmoor last wrote to a family. What was read before is no longer true. */
  readonly #written = new Map<string, number>()
  readonly #newest = new Map<string, string>()
  #swept = 0

  constructor({ client, clock, orgID }: { readonly client: ApiClient; readonly clock: Clock; readonly orgID: string }) {
    this.#client = client
    this.#clock = clock
    this.#orgID = orgID
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
    if (wanted.length > fewResources || this.#isListed(family, since)) {
      const all = await this.listing(family, since, signal)
      // A listing may lack what was moved between its pages, and what the token must not read.
      const missing = wanted.filter((id) => !all.has(id))
      return missing.length === 0 ? all : new Map([...all, ...(await this.#each(family, missing, since, signal))])
    }
    return this.#each(family, wanted, since, signal)
  }

  /** All resources of a family by id. `since`: as above. */
  listing(family: string, since: number, signal: AbortSignal): Promise<ReadonlyMap<string, ApiResource>> {
    const list = async (): Promise<ReadonlyMap<string, ApiResource>> => {
      const all = await listFamily(family, { client: this.#client, orgID: this.#orgID }, signal)
      for (const one of all.values()) this.seen(family, one)
      return all
    }
    return this.#read(this.#listings, { key: family, family, since }, list)
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

  /** gitmoor begins or ends a write to the family. */
  written(family: string): void {
    this.#written.set(family, this.#clock.elapsed())
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
    return this.#read(this.#ones, { key: `${family}/${id}`, family, since }, async () => {
      try {
        const more = family === 'Dashboard' ? '?include=properties' : ''
        const path = `${families[family]!.path}/${encodeURIComponent(id)}${more}`
        const found = resourceOf(await this.#client.request({ method: 'GET', path }, signal), path)
        return found['orgID'] === this.#orgID ? found : undefined
      } catch (error) {
        if (error instanceof NotFound) return undefined
        throw error
      }
    })
  }

  #isListed(family: string, since: number): boolean {
    const known = this.#listings.get(family)
    return known !== undefined && this.#isValid(known, family, since)
  }

  #isValid({ began }: Reading<unknown>, family: string, since: number): boolean {
    return began >= since && began > (this.#written.get(family) ?? -1)
  }

  /** Shares what was read, or is being read. A reading that failed, also because its reader left, is not shared. */
  async #read<T>(
    readings: Map<string, Reading<T>>,
    { key, family, since }: { readonly key: string; readonly family: string; readonly since: number },
    read: () => Promise<T>,
  ): Promise<T> {
    this.#sweep()
    const known = readings.get(key)
    if (known !== undefined && this.#isValid(known, family, since)) {
      try {
        return await known.result
      } catch {
        // The next one reads for itself.
      }
    }
    const reading = { began: this.#clock.elapsed(), result: read() }
    readings.set(key, reading)
    try {
      return await reading.result
    } catch (error) {
      if (readings.get(key) === reading) readings.delete(key)
      throw error
    }
  }

  #sweep(): void {
    const oldest = this.#clock.elapsed() - keptMs
    if (this.#swept > oldest) return
    this.#swept = this.#clock.elapsed()
    for (const readings of [this.#listings, this.#ones] as readonly Map<string, Reading<unknown>>[])
      for (const [key, { began }] of readings) if (began < oldest) readings.delete(key)
  }
}
