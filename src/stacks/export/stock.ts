// All resources of a target, read once for all selectors of an export, to the last page.
import { resourceTypes, systemThings } from '../../kinds/influxdb/influxdb.js'
import type { Identity } from '../../model/address.js'
import type { Json, JsonObject } from '../../model/json.js'
import type { Kind } from '../../model/kind.js'
import { inTurns, type Steps } from '../../model/turns.js'
import type { Listing, Platform } from '../../platform/platform.js'
import { declaringKind, isPart } from '../declaring-kind.js'
import { pagesOfListings } from '../every-listing.js'
import type { Targets } from '../targets.js'

/** Something that a package could declare. `key`: unique over all targets; `held`: normalised. */
export interface Thing {
  readonly key: string
  readonly system: string
  readonly family: string
  readonly identity: Identity
  readonly kind: Kind
  readonly held: JsonObject
  readonly name: string
  /** The target made it itself. */
  readonly ofSystem: boolean
}

/** What a target listed. `labels`: ids of labels, by `resourceType/resourceID`. */
interface Stocked {
  readonly things: readonly Thing[]
  readonly labels: ReadonlyMap<string, readonly string[]>
}

export class Stock {
  readonly system: string
  readonly platform: Platform
  readonly things: readonly Thing[]
  readonly #byKey: ReadonlyMap<string, Thing>
  readonly #byName: ReadonlyMap<string, Thing>
  readonly #labels: ReadonlyMap<string, readonly string[]>

  constructor(system: string, platform: Platform, { things, labels }: Stocked) {
    this.system = system
    this.platform = platform
    this.things = things
    this.#byKey = new Map(things.map((thing) => [thing.key, thing]))
    this.#byName = new Map(things.map((thing) => [nameKey(thing.kind, thing.held), thing]))
    this.#labels = labels
  }

  thing(family: string, identity: string): Thing | undefined {
    return this.#byKey.get(keyOf(this.system, family, identity))
  }

  /** The labels that it bears now. */
  labelsOf({ family, identity }: Thing): readonly Thing[] {
    const ids = this.#labels.get(`${resourceTypes[family]}/${identity}`) ?? []
    return ids.flatMap((id) => this.thing('Label', id) ?? [])
  }

  /** The one that the target takes for this display name, by its own rule of what is one name. */
  named(family: string, name: string): Thing | undefined {
    const kind = this.platform.kinds.find((one) => one.family === family)
    return kind && this.#byName.get(nameKey(kind, { name }))
  }
}

/** Errors: those of the target. */
export async function readStock(target: string, targets: Targets, signal: AbortSignal): Promise<Stock> {
  return targets.reach(target, {}, signal, async (reached) => {
    const listed: Listing[] = []
    for await (const page of pagesOfListings(reached, signal)) listed.push(...page)
    return inTurns(stockSteps(targets.liveSystem(target), reached.platform, listed), signal)
  })
}

/** A step for each listing. */
export function* stockSteps(system: string, platform: Platform, listed: readonly Listing[]): Steps<Stock> {
  const things = yield* thingSteps(system, platform, listed)
  return new Stock(system, platform, { things, labels: labelsByThing(listed) })
}

/** What a package may name: kinds and their families, parts left out. */
export function kindsNamed({ kinds }: Platform, name: string): readonly Kind[] {
  return kinds.filter((kind) => !isPart(kind) && (kind.kind === name || kind.family === name))
}

function nameKey(kind: Kind, held: JsonObject): string {
  return `${kind.family}/${kind.key?.(held) ?? kind.displayName?.(held) ?? ''}`
}

function* thingSteps(system: string, platform: Platform, listed: readonly Listing[]): Steps<readonly Thing[]> {
  const there = listed.map(({ family, observed }) => {
    return { family, identity: observed.identity, held: { ...observed.live, ...observed.readOnly } }
  })
  const ofSystem = systemThings(there)
  const things: Thing[] = []
  for (const { family, observed } of listed) {
    yield
    const { identity, live } = observed
    const kind = declaringKind(platform, family, { identity, live })
    if (kind === undefined) continue
    const held = kind.normalise(live)
    const name = kind.displayName?.(held) ?? identity
    const isOfSystem = ofSystem.has(`${family}/${identity}`)
    const key = keyOf(system, family, identity)
    things.push({ key, system, family, identity, kind, held, name, ofSystem: isOfSystem })
  }
  return things
}

function keyOf(system: string, family: string, identity: string): string {
  return `${system} ${family}/${identity}`
}

/** By `resourceType/resourceID`: ids of labels. */
function labelsByThing(listed: readonly Listing[]): ReadonlyMap<string, readonly string[]> {
  const labels = new Map<string, string[]>()
  for (const { family, observed } of listed) {
    const { resourceType, resourceID, labelID } = observed.live
    if (family !== 'LabelMapping' || !isText(resourceType) || !isText(resourceID) || !isText(labelID)) continue
    const thing = `${resourceType}/${resourceID}`
    labels.set(thing, [...(labels.get(thing) ?? []), labelID])
  }
  return labels
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string'
}
