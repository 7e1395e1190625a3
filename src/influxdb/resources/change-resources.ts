// Changes of resources that a client of InfluxDB's API makes itself: under the lock of their live system, through the
// driver of their target, so they never meet a run. Each is an event.
import { addressOf, type Address, type Identity } from '../../model/address.js'
import { InvalidPackage, Refused, Rejected } from '../../model/errors.js'
import type { JsonObject } from '../../model/json.js'
import type { Observed } from '../../model/resources/resource.js'
import type { TargetEvent } from '../../model/stacks/event.js'
import { callDriver } from '../../platform/call-driver.js'
import type { Context } from '../../stacks/context.js'
import { refuseUnfit, type ResourceToCheck } from '../../stacks/resources/resources.js'
import type { Reached, Targets } from '../../stacks/targets.js'
import type { OrganisationView } from '../templates/template-stack.js'

/** A resource of an organisation. `id`: its identity. */
export interface ResourceOfOrganisation {
  readonly organisation: OrganisationView
  readonly family: string
  readonly id: string
}

/** The state that a resource shall have, made of the actual one. Errors: `Refused`. */
export type StateChange = (now: Observed) => JsonObject

/** The target of the organisation that permits direct writes; undefined: none does. */
export async function directTarget(
  { sync: { targets } }: Context,
  { target }: OrganisationView,
): Promise<string | undefined> {
  const system = targets.liveSystem(target)
  return permitting(targets, system)
}

function permitting(targets: Targets, system: string): string | undefined {
  const permits = targets.declared.filter(
    ({ name, settings }) => settings['directWrites'] === true && targets.has(name),
  )
  return permits.find(({ name }) => targets.liveSystem(name) === system)?.name
}

/** The identity of a new resource. Errors: `Refused` usage, conflict; those of the target. */
export function createResource(
  context: Context,
  { organisation, family, state: given }: Omit<ResourceOfOrganisation, 'id'> & { readonly state: JsonObject },
  signal: AbortSignal,
): Promise<Identity> {
  return changing(context, organisation, signal, async (reached, changed) => {
    const state = asStored(reached, family, given)
    refuseInvalid(reached, family, { desired: state, identity: newIdentity })
    const driver = reached.connection.driver(kindOf(reached, family))
    const { identity } = await callDriver(
      `create ${family}`,
      reached.calling,
      (inner) => driver.create(state, driver.trace(state), inner),
      signal,
    )
    changed({ family, identity }, 'create')
    return identity
  })
}

/** Errors: `Refused` not-found, usage, conflict; those of the target. */
export function updateResource(
  context: Context,
  { organisation, family, id }: ResourceOfOrganisation,
  change: StateChange,
  signal: AbortSignal,
): Promise<void> {
  return changing(context, organisation, signal, async (reached, changed) => {
    const now = await readResource(reached, { family, id }, signal)
    if (now === undefined) throw missing(family, id)
    const state = asStored(reached, family, change(now))
    refuseInvalid(reached, family, { desired: state, before: now.actual, identity: now.identity })
    const driver = reached.connection.driver(kindOf(reached, family))
    await callDriver(`update ${family}`, reached.calling, (inner) => driver.update(now, state, inner), signal)
    changed({ family, identity: now.identity }, 'update')
  })
}

/** False if there is no such resource. Errors: `Refused` usage; those of the target. */
export function removeResource(
  context: Context,
  { organisation, family, id }: ResourceOfOrganisation,
  signal: AbortSignal,
): Promise<boolean> {
  return changing(context, organisation, signal, async (reached, changed) => {
    const now = await readResource(reached, { family, id }, signal)
    if (now === undefined) return false
    const driver = reached.connection.driver(kindOf(reached, family))
    await callDriver(`remove ${family}`, reached.calling, (inner) => driver.remove(now, inner), signal)
    changed({ family, identity: now.identity }, 'remove')
    return true
  })
}

/** Writes a secret under its key, new or not. Errors: those of the target. */
export function putSecret(
  context: Context,
  {
    organisation,
    key,
    value,
  }: { readonly organisation: OrganisationView; readonly key: string; readonly value: string },
  signal: AbortSignal,
): Promise<void> {
  const [family, state] = ['Secret', { key, value }] as const
  return changing(context, organisation, signal, async (reached, changed) => {
    const driver = reached.connection.driver(kindOf(reached, family))
    const now = await readResource(reached, { family, id: key }, signal)
    const write = (inner: AbortSignal): Promise<Observed> =>
      now === undefined ? driver.create(state, driver.trace(state), inner) : driver.update(now, state, inner)
    const { identity } = await callDriver('write Secret', reached.calling, write, signal)
    changed({ family, identity }, now === undefined ? 'create' : 'update')
  })
}

type Changed = (resource: TargetEvent['resource'], operation: TargetEvent['operation']) => void

async function changing<T>(
  { sync: { targets }, scheduler }: Context,
  { target: listed, name }: OrganisationView,
  signal: AbortSignal,
  work: (reached: Reached, changed: Changed) => Promise<T>,
): Promise<T> {
  const target = permitting(targets, targets.liveSystem(listed))
  if (target === undefined) throw new Refused('conflict', `No target of ${name} permits direct writes.`)
  const changed: Changed = (resource, operation) =>
    scheduler.events.targetChanged({ type: 'target.changed', target, resource, operation })
  try {
    return await targets.lock(target, {}, signal, (reached) => work(reached, changed))
  } catch (error) {
    throw asRefusal(error)
  }
}

async function readResource(
  reached: Reached,
  { family, id }: Pick<ResourceOfOrganisation, 'family' | 'id'>,
  signal: AbortSignal,
): Promise<Observed | undefined> {
  const address: Address = addressOf(family, id)
  const driver = reached.connection.driver(kindOf(reached, family))
  const read = (inner: AbortSignal): ReturnType<typeof driver.read> =>
    driver.read([{ address, identity: id as Identity }], inner)
  return (await callDriver(`read ${family}`, reached.calling, read, signal)).get(address)
}

function kindOf({ platform }: Reached, family: string): Parameters<Reached['connection']['driver']>[0] {
  return platform.kinds.find((kind) => kind.family === family)!
}

/** In canonical form; but charts keep the ids of their cells, and views that no package can express. */
function asStored(reached: Reached, family: string, state: JsonObject): JsonObject {
  return family === 'Dashboard' ? state : kindOf(reached, family).normalise(state)
}

const newIdentity = 'new' as Identity

/** As in a package; but charts may be of any form, as InfluxDB's own pages write them. */
function refuseInvalid(
  { platform }: Reached,
  family: string,
  state: Pick<ResourceToCheck, 'desired' | 'before' | 'identity'>,
): void {
  const kinds = platform.kinds.filter((kind) => kind.family === family)
  const withoutCharts = ({ charts: _charts, ...rest }: JsonObject): JsonObject => rest
  const { desired, before, identity } = state
  const checked = {
    desired: withoutCharts(desired),
    ...(before === undefined ? {} : { before: withoutCharts(before) }),
  }
  refuseUnfit({ name: family, kinds, identity, ...checked })
}

function missing(family: string, id: string): Refused {
  return new Refused('not-found', `There is no ${family} with the id ${id}.`)
}

/** What a client can repair is a refusal of its request, not an error of the target. */
function asRefusal(error: unknown): unknown {
  if (error instanceof InvalidPackage) {
    const [first] = error.problems
    return new Refused('usage', first?.message ?? error.message, { cause: error, ...withHint(first ?? error) })
  }
  if (!(error instanceof Rejected)) return error
  const status = statuses[error.code]
  return status === undefined ? error : new Refused(status, error.message, { cause: error, ...withHint(error) })
}

function withHint({ hint }: { readonly hint?: string }): { readonly hint?: string } {
  return hint === undefined ? {} : { hint }
}

const statuses: Readonly<Record<string, 'conflict' | 'not-found' | 'usage'>> = {
  'platform/name-taken': 'conflict',
  'platform/not-found': 'not-found',
  'platform/system-bucket': 'usage',
}
