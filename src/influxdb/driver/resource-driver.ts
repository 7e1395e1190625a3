// The driver of families whose resources are written whole: buckets, labels, variables, checks, endpoints, rules, tasks
// and Telegraf configurations.
import type { Address, Identity } from '../../model/address.js'
import { Rejected } from '../../model/errors.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/resources/kind.js'
import type { Observed } from '../../model/resources/resource.js'
import type { Driver, ResourceLookup } from '../../platform/platform.js'
import { withoutUndefined } from '../../lib/without-undefined.js'
import { asText } from '../../model/scalar.js'
import { isSystemBucket, resourceBodies } from '../kinds/kinds.js'
import type { ApiRequest } from './server/api-client.js'
import { NotFound } from './server/api-errors.js'
import { createOnce } from './create-once.js'
import type { EndpointSecrets } from './endpoint-secrets.js'
import { families, resourceOf, type ApiResource } from './families.js'
import { observedAll, observedSince } from './observed.js'
import type { Organisation } from './organisation.js'
import { candidates, isTraced, markedState, traceOf, type Trace } from './traces.js'

/** How an existing resource is written. */
const methods: Readonly<Record<string, 'PUT' | 'PATCH'>> = { Bucket: 'PATCH', Label: 'PATCH', Task: 'PATCH' }

/** Until the update that completes a creation, these do nothing. */
const idleWhenCreated: readonly string[] = ['NotificationRule', 'Task']

export interface ResourceDriverParts {
  readonly organisation: Organisation
  readonly kind: Kind
  /** Elapsed milliseconds: what was read before does not count. */
  readonly since: number
  /** Of the connection. */
  readonly secrets: EndpointSecrets
}

/** A creation of a family without unique names is completed by an update: see traces.ts. */
export class ResourceDriver implements Driver {
  protected readonly organisation: Organisation
  protected readonly kind: Kind
  /** Only endpoints leave something: their credentials. */
  readonly removeLeftovers?: NonNullable<Driver['removeLeftovers']>
  readonly #since: number
  readonly #secrets: EndpointSecrets

  constructor({ organisation, kind, since, secrets }: ResourceDriverParts) {
    this.organisation = organisation
    this.kind = kind
    this.#since = since
    this.#secrets = secrets
    if (kind.family === 'NotificationEndpoint')
      this.removeLeftovers = (identity, signal) => secrets.removeLeftovers([identity], signal)
  }

  async read(lookups: readonly ResourceLookup[], signal: AbortSignal): Promise<ReadonlyMap<Address, Observed>> {
    const { readings, runFailures } = this.organisation
    const { family } = this.kind
    const ids = lookups.flatMap(({ identity }) => (identity === undefined ? [] : [identity]))
    const byId = ids.length === 0 ? new Map<string, ApiResource>() : await this.#byId(ids, signal)
    if (family === 'NotificationEndpoint')
      for (const { identity, key } of lookups)
        if (identity !== undefined && key !== undefined && !byId.has(identity)) this.#secrets.noteGone(identity)
    const isByKey = ({ identity, key }: ResourceLookup): boolean =>
      key !== undefined && (identity === undefined || !byId.has(identity))
    const byKey = lookups.some(isByKey)
      ? this.#byKey(await readings.listing(family, this.#since, signal))
      : new Map<string, ApiResource>()
    const found = lookups.flatMap(({ address, identity, key }) => {
      const one =
        (identity === undefined ? undefined : byId.get(identity)) ?? (key === undefined ? undefined : byKey.get(key))
      return one === undefined ? [] : [[address, one] as const]
    })
    const forms = found.map(([, one]) => one)
    const all = await observedSince({ family, forms, since: this.#since }, this.organisation, signal)
    const observed = await runFailures.explain(all, signal)
    return new Map(found.map(([address], at) => [address, observed[at]!]))
  }

  trace(state: JsonObject): Json {
    return { ...traceOf(this.kind, state, this.organisation.readings.newest(this.kind.family)) }
  }

  /** Of several, which a creation that was tried again may have made, the others are removed. */
  async find(trace: Json, signal: AbortSignal): Promise<Observed | undefined> {
    const given = trace as unknown as Trace
    const { readings } = this.organisation
    const all = await readings.listing(this.kind.family, this.organisation.now(), signal)
    const forms = candidates(given, all.values(), this.kind)
    const states = await this.#observed(forms)
    const traced = states.filter(({ actual }, at) => isTraced(given, { form: forms[at]!, actual }, this.kind))
    const [made, ...twins] = traced
    for (const twin of twins) await this.remove(twin, signal)
    return made && this.observe(made.identity, signal)
  }

  async create(given: JsonObject, trace: Json, signal: AbortSignal): Promise<Observed> {
    const { family } = this.kind
    const state = this.#concealed(given)
    this.#refuseReserved(state)
    this.#secrets.refuseUnknown(state)
    if (family === 'NotificationEndpoint') await this.#secrets.creating(state, signal)
    const idle = idleWhenCreated.includes(family) ? { status: 'inactive' } : {}
    const body = await this.body({ ...markedState(trace as unknown as Trace, state), ...idle }, signal)
    const { path } = families[family]!
    const make = async (): Promise<Observed> => {
      const made = resourceOf(await this.write({ method: 'POST', path, body }, signal), path)
      this.organisation.readings.seen(family, made)
      await this.#secrets.created(made.id as Identity, state)
      return this.observedNew(made, signal)
    }
    return createOnce({ make, find: () => this.find(trace, signal), clock: this.organisation.clock }, signal)
  }

  async update(now: Observed, given: JsonObject, signal: AbortSignal): Promise<Observed> {
    const state = this.#concealed(given)
    this.#refuseSystem(now, 'changed')
    this.#refuseReserved(state)
    const { family } = this.kind
    const { written, settle } = await this.#secrets.updating(now, state, signal)
    const path = this.organisation.pathOf(family, now.identity)
    const method = methods[family] ?? 'PUT'
    const body = { ...(await this.body(written, signal, now.identity)), ...this.#keptFields(now) }
    const after = resourceOf(await this.write({ method, path, body }, signal), path)
    await settle(signal)
    return this.observedOne(after)
  }

  async remove(now: Observed, signal: AbortSignal): Promise<void> {
    this.#refuseSystem(now, 'removed')
    if (this.kind.family === 'NotificationEndpoint') await this.#secrets.removing(now, signal)
    try {
      const path = this.organisation.pathOf(this.kind.family, now.identity)
      await this.write({ method: 'DELETE', path }, signal)
    } catch (error) {
      if (!(error instanceof NotFound)) throw error
    }
  }

  /** `id`: of an existing resource. Errors: those of requests; `Rejected` if the endpoint of a rule is missing. */
  protected async body(state: JsonObject, signal: AbortSignal, id?: Identity): Promise<JsonObject> {
    const { orgID } = this.organisation
    const type = this.kind.family === 'NotificationRule' ? await this.#endpointType(state, signal) : undefined
    return resourceBodies[this.kind.family]!(state, { orgID, ...withoutUndefined({ id, endpointType: type }) })
  }

  /** A label that goes takes its mappings along, which the listings of all families have. */
  protected write(request: ApiRequest, signal: AbortSignal): Promise<Json | undefined> {
    const { family } = this.kind
    return this.organisation.write(family === 'Label' ? Object.keys(families) : [family], request, signal)
  }

  /** A person who writes an endpoint directly gives its credentials as texts. */
  #concealed(state: JsonObject): JsonObject {
    return this.kind.family === 'NotificationEndpoint' ? this.#secrets.concealed(state) : state
  }

  /** A variable that is replaced gets the time of creation that the request has: none, if it has none. */
  #keptFields({ readOnly }: Observed): JsonObject {
    const createdAt = readOnly?.['createdAt']
    return this.kind.family === 'Variable' && createdAt !== undefined ? { createdAt } : {}
  }

  /** The server wants the type of a rule's endpoint in the rule. */
  async #endpointType({ endpointID }: JsonObject, signal: AbortSignal): Promise<string> {
    const id = asText(endpointID) ?? ''
    const { readings } = this.organisation
    const type = (await readings.byId('NotificationEndpoint', [id], this.#since, signal)).get(id)?.['type']
    if (typeof type === 'string') return type
    throw new Rejected(`InfluxDB has no notification endpoint ${id}, which the rule names.`, {
      code: 'influxdb/not-found',
      hint: 'It was removed meanwhile. The next sync makes a new plan.',
    })
  }

  /** Of the answer to a creation. */
  protected observedNew(made: ApiResource, _signal: AbortSignal): Promise<Observed> {
    return this.observedOne(made)
  }

  /** Reads one again. undefined: it is missing. */
  protected async observe(id: string, signal: AbortSignal): Promise<Observed | undefined> {
    const { readings } = this.organisation
    const form = (await readings.byId(this.kind.family, [id], this.organisation.now(), signal)).get(id)
    return form && this.observedOne(form)
  }

  #byId(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ApiResource>> {
    return this.organisation.readings.byId(this.kind.family, ids, this.#since, signal)
  }

  /** The first of several with one key. */
  #byKey(all: ReadonlyMap<string, ApiResource>): ReadonlyMap<string, ApiResource> {
    const found = new Map<string, ApiResource>()
    for (const one of all.values()) {
      const key = this.kind.matching?.key(one)
      if (key !== undefined && !found.has(key)) found.set(key, one)
    }
    return found
  }

  protected async observedOne(form: ApiResource): Promise<Observed> {
    return (await this.#observed([form]))[0]!
  }

  #observed(forms: readonly ApiResource[]): Promise<readonly Observed[]> {
    return observedAll(this.kind.family, forms, this.organisation)
  }

  #refuseReserved({ name }: JsonObject): void {
    if (this.kind.family === 'Bucket' && typeof name === 'string' && name.startsWith('_'))
      throw new Rejected(`Bucket ${JSON.stringify(name)}: names that begin with "_" belong to the system.`, {
        code: 'influxdb/system-bucket',
        hint: 'Choose a name that does not begin with "_".',
      })
  }

  #refuseSystem({ actual }: Observed, verb: string): void {
    if (this.kind.family === 'Bucket' && isSystemBucket(actual))
      throw new Rejected(`Bucket ${JSON.stringify(actual['name'])} belongs to the system and cannot be ${verb}.`, {
        code: 'influxdb/system-bucket',
      })
  }
}
