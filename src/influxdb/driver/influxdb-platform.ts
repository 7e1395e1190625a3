// The platform `influxdb`: organisations of real servers.
import { memoizeByObject } from '../../lib/memoize.js'
import { Rejected } from '../../model/errors.js'
import type { JsonObject } from '../../model/json.js'
import type { Finding } from '../../model/problem.js'
import type { Kind } from '../../model/resources/kind.js'
import type { Documents } from '../../platform/documents.js'
import type { PlatformMeans } from '../../platform/platform-means.js'
import type { Caller, Connection, Kinds, ListedResource, Platform, Target } from '../../platform/platform.js'
import { parseInterval } from '../../settings/schema/interval.js'
import { explainInfluxdbKind, kindAmong, noFlux, type FluxPort } from '../kinds/kinds.js'
import { labelling } from '../labelling.js'
import { madeByInfluxdb } from '../made-by-influxdb.js'
import { secretStore } from '../secret-store.js'
import { ApiClient } from './api-client.js'
import { InfluxdbConnection } from './connection.js'
import type { InfluxdbSettings } from './driver.js'
import { Fingerprints } from './fingerprints.js'
import { liveKinds } from './live-kinds.js'
import { Organisation } from './organisation.js'
import { findOrganisation, readServer } from './server.js'

/** A caller that may share what others read gets what was read in this time. */
const sharedReadsMs = 5_000
/** Version and permissions of a server are read again after this time. */
const serverKnownMs = 600_000

export type InfluxdbOptions = PlatformMeans & {
  /** Default: no parser. The platform disposes it. */
  readonly flux?: FluxPort & Partial<Disposable>
}

/** An organisation that was reached. `token`: its value. */
interface Reached {
  readonly organisation: Organisation
  readonly about: JsonObject
  readonly warnings: readonly Finding[]
  readonly token: string
  /** Elapsed milliseconds. */
  readonly at: number
}

export class InfluxdbPlatform implements Platform {
  readonly name = 'influxdb'
  readonly version = 1
  readonly onFailure = 'undo'
  readonly updatesInParallel = true
  readonly secretStore = secretStore
  readonly labelling = labelling
  readonly kinds: readonly Kind[]
  readonly kind: Kinds['kind']
  readonly explainUnknownKind = explainInfluxdbKind
  readonly #documents: Documents
  readonly #means: InfluxdbOptions
  readonly #reached = new Map<string, Reached>()

  constructor(documents: Documents, means: InfluxdbOptions) {
    this.#documents = documents
    this.#means = means
    const { sealer, flux = noFlux } = means
    this.kinds = liveKinds({ conceal: (value) => sealer.toSecret(value), flux })
    this.kind = kindAmong(this.kinds)
  }

  [Symbol.dispose](): void {
    this.#means.flux?.[Symbol.dispose]?.()
  }

  systemId(settings: JsonObject): string {
    return systemOf(settings)
  }

  madeByTarget(listed: readonly ListedResource[]): ReadonlySet<string> {
    return madeByInfluxdb(listed)
  }

  async connect(target: Target, signal: AbortSignal, caller: Caller = {}): Promise<Connection> {
    const { organisation, about, warnings } = await this.#reach(target, signal)
    const now = this.#means.clock.elapsed()
    const since = caller.mayShareReads === true ? now - sharedReadsMs : now
    return new InfluxdbConnection({ organisation, about, warnings, since })
  }

  /** What is known of a server is kept, so most pieces of work begin without a request. */
  async #reach({ name, settings }: Target, signal: AbortSignal): Promise<Reached> {
    const { clock, secretValue, send } = this.#means
    const { url, organisation: called, token: reference, limits, allowHttp } = settings as unknown as InfluxdbSettings
    const token = secretValue(reference)
    const key = JSON.stringify([name, settings])
    const known = this.#reached.get(key)
    if (known?.token === token && clock.elapsed() - known.at < serverKnownMs) return known
    refusePlainHttp(url, name, allowHttp)
    const client = new ApiClient({
      url: url.replace(/\/+$/, ''),
      token: () => token,
      target: name,
      concurrency: limits.concurrency,
      requestsPerSecond: limits.requestsPerSecond,
      requestMs: parseInterval(limits.request)!,
      send,
      clock,
    })
    const orgID = await findOrganisation(client, called, signal)
    const { about, warnings } = await readServer(client, { token, orgID, target: name }, signal)
    const fingerprints = new Fingerprints(this.#documents, systemOf(settings))
    const organisation = new Organisation({ client, orgID, fingerprints, clock })
    const reached = {
      organisation,
      about: { ...about, organisation: called, orgID },
      warnings,
      token,
      at: clock.elapsed(),
    }
    this.#reached.set(key, reached)
    return reached
  }
}

/** The address of the server without its case and slashes, and the organisation. */
const systemOf = memoizeByObject((settings: JsonObject): string => {
  const { url, organisation } = settings as unknown as InfluxdbSettings
  const { href } = new URL(url)
  return `${href.replace(/\/+$/, '')} ${organisation}`
})

const thisMachine = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

function refusePlainHttp(url: string, target: string, allowed: boolean): void {
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'http:' || allowed || thisMachine.test(hostname)) return
  throw new Rejected(`The address of target ${target} is http, which sends its token unencrypted.`, {
    code: 'influxdb/plain-http',
    hint: `Use https, or set \`targets.${target}.allowHttp: true\` in the configuration file.`,
  })
}
