// A platform that is not InfluxDB: rooms and lamps behind bridges, in memory. Its kind `Secret` is one like any other.
// It uses none of the optional parts of the ports.
import { randomBytes } from 'node:crypto'
import { addressOf, type Identity } from '../src/model/address.js'
import { Rejected, TargetConflict } from '../src/model/errors.js'
import { isObject, type Json, type JsonObject } from '../src/model/json.js'
import type { Kind } from '../src/model/resources/kind.js'
import { problemAt } from '../src/model/problem.js'
import type { Observed } from '../src/model/resources/resource.js'
import type { Connection, Driver, Platform } from '../src/platform/platform.js'

/** One resource of a bridge. */
interface Device {
  readonly family: string
  readonly id: string
  state: JsonObject
  /** What the lamp says is broken; absent: nothing. */
  fault?: string | undefined
}

/** By id. */
type Bridge = Map<string, Device>

/** A spec is any map; `room` refers to a Room, all else is the state. */
export function lampsKind(kind: string, apiVersion = 'lamps/v1', family = kind): Kind<JsonObject> {
  const name = ({ name: own }: JsonObject): string | undefined => (typeof own === 'string' ? own : undefined)
  return {
    kind,
    apiVersions: [apiVersion],
    family,
    decode: ({ name: metaName, body, locate }) => {
      const spec = body['spec'] ?? {}
      if (isObject(spec)) return { value: { name: metaName, ...spec }, problems: [] }
      const finding = { code: 'kinds/wrong-type', message: 'spec is not a map.' }
      return { value: undefined, problems: [problemAt('error', locate('/spec'), finding)] }
    },
    documents: { takesMeta: true },
    references: ({ room }) =>
      typeof room === 'string' ? [{ to: addressOf('Room', room), pointer: '/spec/room' }] : [],
    encode: ({ room, ...state }, resolve) =>
      typeof room === 'string' ? { ...state, room: resolve({ to: addressOf('Room', room) }) } : state,
    normalise: (state) => state,
    matching: { key: name },
    health: { unhealthy: ({ readOnly: { fault } = {} }) => (typeof fault === 'string' ? fault : undefined) },
    displayName: name,
    authored: {
      declare: ({ room, ...spec }, nameOf) =>
        typeof room === 'string' ? { ...spec, room: nameOf('Room', room as Identity) ?? room } : spec,
    },
  }
}

export class Lamps implements Platform {
  readonly name: string
  readonly version = 1
  readonly onFailure = 'undo'
  readonly kinds: readonly Kind[]
  readonly #bridges = new Map<Json | undefined, Bridge>()

  constructor(name = 'lamps', kinds: readonly Kind[] = ['Room', 'Lamp', 'Secret'].map((kind) => lampsKind(kind))) {
    this.name = name
    this.kinds = kinds
  }

  kind(kind: string, apiVersion: string): Kind | undefined | 'version' {
    const named = this.kinds.filter((one) => one.kind === kind)
    return (
      named.find(({ apiVersions }) => apiVersions.includes(apiVersion)) ?? (named.length > 0 ? 'version' : undefined)
    )
  }

  explainUnknownKind(kind: string): { readonly code: string; readonly message: string } {
    return { code: 'kinds/unknown-kind', message: `A bridge has no ${kind}.` }
  }

  systemId({ bridge }: JsonObject): string {
    return bridge as string
  }

  /** The devices behind a bridge. */
  bridge(name: Json | undefined): Bridge {
    const bridge = this.#bridges.get(name) ?? new Map<string, Device>()
    this.#bridges.set(name, bridge)
    return bridge
  }

  async connect({ settings }: { readonly settings: JsonObject }): Promise<Connection> {
    const bridge = this.bridge(settings['bridge'])
    return {
      concurrency: 2,
      driver: ({ family }) => lampsDriver(bridge, family),
      list: async ({ limit, after = '' }) =>
        [...bridge.values()]
          .map((device) => ({ family: device.family, observed: observedOf(device) }))
          .filter(({ family, observed }) => `${family}/${observed.identity}` > after)
          .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
          .slice(0, limit),
      [Symbol.asyncDispose]: async () => {},
    }
  }
}

function placeOf({ family, observed }: { readonly family: string; readonly observed: Observed }): string {
  return `${family}/${observed.identity}`
}

function observedOf({ id, state, fault }: Device): Observed {
  const readOnly = { serial: `S-${id}`, ...(fault !== undefined && { fault }) }
  return { identity: id as Identity, actual: state, readOnly }
}

/** Refuses the colour `broken`, and a name that another device of the family has. */
function lampsDriver(bridge: Bridge, family: string): Driver {
  const accept = (id: string, state: JsonObject): Observed => {
    if (state['colour'] === 'broken') throw new Rejected('No lamp has this colour.', { code: 'lamps/colour' })
    if ((byKey(state['name'])?.id ?? id) !== id)
      throw new TargetConflict('The name is taken.', { code: 'lamps/name-taken' })
    const device: Device = { family, id, state, fault: bridge.get(id)?.fault }
    bridge.set(id, device)
    return observedOf(device)
  }
  const byId = (id: string): Device | undefined => (bridge.get(id)?.family === family ? bridge.get(id) : undefined)
  const byKey = (key: Json | undefined): Device | undefined =>
    [...bridge.values()].find((one) => one.family === family && one.state['name'] === key)
  return {
    read: async (lookups) =>
      new Map(
        lookups.flatMap(({ address, identity = '', key }) => {
          const device = byId(identity) ?? byKey(key)
          return device === undefined ? [] : [[address, observedOf(device)] as const]
        }),
      ),
    trace: () => randomBytes(8).toString('hex'),
    find: async (trace) => {
      const device = byId(trace as string)
      return device && observedOf(device)
    },
    create: async (state, trace) => accept(trace as string, state),
    update: async ({ identity }, state) => {
      if (byId(identity) === undefined) throw new Rejected('There is no such device.', { code: 'lamps/gone' })
      return accept(identity, state)
    },
    remove: async ({ identity }) => void (byId(identity) && bridge.delete(identity)),
  }
}
