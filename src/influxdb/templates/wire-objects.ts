// Declared and existing resources as the InfluxDB API shows them: by id, by metaName, and as state.
import { addressOf, familyOf, nameOf, type Address, type Identity } from '../../model/address.js'
import { Unknown, type Json, type JsonObject } from '../../model/json.js'
import type { Resolve } from '../../model/resources/kind.js'
import type { Owned, Resource } from '../../model/resources/resource.js'
import type { KnownResource, WireContext } from '../kinds/kinds.js'
import type { Planned } from '../../stacks/plans/plan-stack.js'

/** A plan and its inputs. `applied`: what the stack owns after an apply; absent: nothing was applied yet. */
export interface WirePlan {
  readonly orgID: string
  readonly resources: readonly Resource[]
  readonly planned: Planned
  readonly applied?: ReadonlyMap<Address, Owned>
}

export class WireObjects {
  readonly #plan: WirePlan
  readonly #resources: ReadonlyMap<Address, Resource>
  readonly #creates: ReadonlySet<Address>
  readonly #desired = new Map<Address, JsonObject>()
  readonly #actual = new Map<Address, JsonObject | undefined>()
  #byIdentity: ReadonlyMap<string, Address> | undefined

  constructor(plan: WirePlan) {
    const { resources, planned } = plan
    this.#plan = plan
    this.#resources = new Map(resources.map((resource) => [resource.address, resource]))
    this.#creates = new Set(
      planned.plan.changes.flatMap(({ action, address }) => (action === 'create' ? [address] : [])),
    )
  }

  get orgID(): string {
    return this.#plan.orgID
  }

  /** True if the resource did not exist when the plan was made. */
  isNew(address: Address): boolean {
    return this.#creates.has(address)
  }

  /** '' if it does not exist yet. */
  idOf(address: Address): Identity | '' {
    const { applied, planned } = this.#plan
    const before = this.isNew(address) ? undefined : planned.observed.get(address)?.identity
    return applied?.get(address)?.identity ?? before ?? ''
  }

  /** The desired state of a declared resource, normalized. */
  desired({ address, kind, spec }: Resource): JsonObject {
    const known = this.#desired.get(address)
    if (known !== undefined) return known
    const state = kind.normalise(kind.encode(spec, this.#resolve))
    this.#desired.set(address, state)
    return state
  }

  /** The actual state under an address, normalized, with the target's own fields; undefined: it does not exist. */
  actual(address: Address): JsonObject | undefined {
    if (!this.#actual.has(address)) this.#actual.set(address, this.#readActual(address))
    return this.#actual.get(address)
  }

  #readActual(address: Address): JsonObject | undefined {
    const kind = this.#resources.get(address)?.kind ?? this.#ownedKind(address)
    const there = this.isNew(address) ? undefined : this.#plan.planned.observed.get(address)
    const state = there && kind?.normalise(there.actual)
    return state && there?.readOnly ? { ...state, ...there.readOnly } : state
  }

  /** The display name that is declared, else that of the existing resource. */
  nameOf(address: Address): string {
    const resource = this.#resources.get(address)
    const state = resource === undefined ? this.actual(address) : this.desired(resource)
    return (state && (resource?.kind ?? this.#ownedKind(address))?.displayName?.(state)) ?? ''
  }

  contextOf(id: Identity | ''): WireContext {
    return { id, orgID: this.orgID, known: (family, which) => this.#known(family, which) }
  }

  #known(family: string, which: { readonly metaName: string } | { readonly id: string }): KnownResource | undefined {
    const address =
      'metaName' in which ? addressOf(family, which.metaName) : this.#addresses.get(`${family} ${which.id}`)
    if (address === undefined) return undefined
    const resource = this.#resources.get(address)
    const state = resource === undefined ? this.actual(address) : this.desired(resource)
    if (state === undefined) return undefined
    const kind = resource?.kind.kind ?? this.#plan.planned.owned.get(address)?.kind ?? family
    return {
      id: this.idOf(address),
      name: this.nameOf(address),
      metaName: resource === undefined ? '' : nameOf(address),
      kind,
      state,
    }
  }

  readonly #resolve: Resolve = ({ to, output = 'id' }): Json => {
    const value = output === 'id' ? this.idOf(to) : this.#declared(to)[output]
    return typeof value === 'string' && value !== '' ? value : new Unknown(to, output)
  }

  #declared(address: Address): JsonObject {
    const resource = this.#resources.get(address)
    return resource === undefined ? {} : this.desired(resource)
  }

  get #addresses(): ReadonlyMap<string, Address> {
    if (this.#byIdentity !== undefined) return this.#byIdentity
    const { observed, owned } = this.#plan.planned
    const all = new Set([...observed.keys(), ...owned.keys(), ...this.#resources.keys()])
    const found = [...all].map((address) => [`${familyOf(address)} ${this.idOf(address)}`, address] as const)
    return (this.#byIdentity = new Map(found))
  }

  #ownedKind(address: Address): Resource['kind'] | undefined {
    const record = this.#plan.planned.owned.get(address)
    return record && this.#plan.planned.kindNamed(record.kind, address)
  }
}
