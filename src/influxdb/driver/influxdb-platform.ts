// The platform `influxdb`: organisations of real servers.
import { memoizeByObject } from '../../lib/memoize.js'
import { Unavailable } from '../../model/errors.js'
import type { JsonObject, Secret } from '../../model/json.js'
import type { Finding } from '../../model/problem.js'
import type { Kind } from '../../model/resources/kind.js'
import type { Documents } from '../../platform/documents.js'
import type { PlatformMeans } from '../../platform/platform-means.js'
import { sameJson } from '../../plan/diff.js'
import type { Caller, Connection, Kinds, ListedResource, Platform, Target } from '../../platform/platform.js'
import { explainInfluxdbKind, kindAmong, noFlux, type FluxPort } from '../kinds/kinds.js'
import { labelling } from '../labelling.js'
import { madeByInfluxdb } from '../made-by-influxdb.js'
import { secretStore } from '../secret-store.js'
import { InfluxdbConnection } from './connection.js'
import type { InfluxdbSettings } from './driver.js'
import { liveKinds } from './live-kinds.js'
import { ReachableServer, sharedReadsMs } from './server/reachable-server.js'
import { Writes } from './writes.js'

export type InfluxdbOptions = PlatformMeans & {
  /** Default: no parser. The platform disposes it. */
  readonly flux?: FluxPort & Partial<Disposable>
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
  /** By target. */
  readonly #servers = new Map<string, ReachableServer>()
  /** By live system: several targets may be one. */
  readonly #writes = new Map<string, Writes>()

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
    const now = this.#means.clock.elapsed()
    const mayShare = caller.mayShareReads === true
    const { warnings, ...known } = await this.#reachable(target).reach(mayShare, signal)
    const since = mayShare ? now - sharedReadsMs : now
    const shared = this.#alsoNamed(target, known.organisation.orgID)
    const conceal = (value: string): Secret => this.#means.sealer.toSecret(value)
    return new InfluxdbConnection({ ...known, warnings: [...warnings, ...shared], since, conceal })
  }

  /** A target whose settings or token changed begins anew. */
  #reachable({ name, settings }: Target): ReachableServer {
    const { secretValue, send, clock } = this.#means
    const { token: reference } = settings as unknown as InfluxdbSettings
    const token = secretValue(reference)
    const known = this.#servers.get(name)
    if (known?.token === token && sameJson(known.settings, settings)) return known
    refuseUnsendable(token, name)
    const system = systemOf(settings)
    const writes = this.#writes.get(system) ?? new Writes(clock)
    this.#writes.set(system, writes)
    const parts = { name, settings, token, system, writes, send, clock, documents: this.#documents }
    const server = new ReachableServer(parts)
    this.#servers.set(name, server)
    return server
  }

  /** Targets that name one organisation in two ways have two locks, two owners of each resource, and two memories. */
  #alsoNamed({ name, settings }: Target, orgID: string): readonly Finding[] {
    const system = systemOf(settings)
    const others = [...this.#servers.values()].filter((one) => one.orgID === orgID && one.system !== system)
    return others.map((other) => ({
      code: 'influxdb/one-organisation',
      message: `Targets ${name} and ${other.name} are one organisation, with different addresses or names of it.`,
      hint: `Give both the same url and organisation: gitmoor takes them for two systems, whose stacks do not see each other.`,
    }))
  }
}

/** The address of the server without its case and slashes, and the organisation. */
const systemOf = memoizeByObject((settings: JsonObject): string => {
  const { url, organisation } = settings as unknown as InfluxdbSettings
  const { href } = new URL(url)
  return `${href.replace(/\/+$/, '')} ${organisation}`
})

/** The final line ends of a file are not part of a token. */
function refuseUnsendable(token: string, target: string): void {
  if (/^[\x20-\x7e]*$/.test(token)) return
  throw new Unavailable(`The token of target ${target} has a character that no header of a request can have.`, {
    code: 'influxdb/token-characters',
    hint:
      `Write only the token into the file or variable that \`targets.${target}.token\` names: one line, without ` +
      'control characters. The next attempt reads it again.',
    refusesAccess: true,
  })
}
