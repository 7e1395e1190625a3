// Finds one resource on a target, by its address in a stack or by its family and id.
import { familyOf, type Address, type Identity } from '../../model/address.js'
import { Refused } from '../../model/errors.js'
import type { Kind } from '../../model/resources/kind.js'
import type { Observed } from '../../model/resources/resource.js'
import { callDriver } from '../../platform/call-driver.js'
import type { Caller, TargetPlatform } from '../../platform/platform.js'
import type { Context } from '../context.js'
import { findStack } from '../stacks.js'
import type { Reached } from '../targets.js'

/** Where to search for a resource. Default: target `local`, all stacks. */
export interface ResourceScope {
  readonly target?: string | undefined
  readonly stack?: string | undefined
}

export interface FoundResource extends Reached {
  readonly kind: Kind
  readonly there: Observed
  /** Name of its target. */
  readonly target: string
}

/** Stacks that are compared if several have a resource at the address. */
const mostOwners = 20

/**
 * Calls `work` with the existing resource. `access`: with `lock`, nothing else writes to the target meanwhile. Errors:
 * `Refused` usage, not-found, conflict.
 */
export async function withResource<T>(
  context: Context,
  access: 'lock' | 'reach',
  { which, scope }: { readonly which: string; readonly scope: ResourceScope },
  signal: AbortSignal,
  work: (found: FoundResource) => Promise<T>,
): Promise<T> {
  const { family, identity, target } = await locate(context, which, scope)
  return context.sync.targets[access](target, scopeCaller(scope), signal, async (reached) => {
    const kind = kindOfFamily(reached.platform, family)
    const address = which as Address
    const driver = reached.connection.driver(kind)
    const read = await callDriver(
      `read ${which}`,
      reached.calling,
      (inner) => driver.read([{ address, identity }], inner),
      signal,
    )
    const there = read.get(address)
    if (there === undefined) throw notOnTarget(which, target)
    return work({ ...reached, kind, there, target })
  })
}

/** The target of a request that names no resource. */
export async function scopeTarget(context: Context, { target, stack }: ResourceScope): Promise<string> {
  if (target !== undefined) await refuseTarget(context, target)
  if (stack === undefined) return target ?? 'local'
  return (await findStack(context, stack)).spec.target
}

/** For a target that a read names. Errors: `TargetMissing`, if a stack is bound to it; `Refused` not-found. */
export async function refuseTarget({ store, sync, scheduler }: Context, target: string): Promise<void> {
  if (sync.targets.has(target)) return
  const bound = await store.stacks.select({ limit: 1, filter: { target }, liveStatus: scheduler.live })
  const [first] = bound.found
  if (first !== undefined) throw sync.targets.missing(target, first.stack.spec.name)
  sync.targets.refuseUnknown(target)
}

export function scopeCaller({ stack }: ResourceScope): Caller {
  return stack === undefined ? {} : { stack }
}

/** The first kind of a family. Errors: `Refused` not-found. */
export function kindOfFamily(platform: TargetPlatform, family: string): Kind {
  const [kind] = kindsOfFamily(platform, family)
  if (kind !== undefined) return kind
  const families = [...new Set(platform.kinds.map((one) => one.family))]
  throw new Refused('not-found', `There is no family named ${family}.`, {
    code: 'resources/family-unknown',
    hint: `Families: ${families.join(', ')}.`,
  })
}

export function kindsOfFamily({ kinds }: TargetPlatform, family: string): readonly Kind[] {
  return kinds.filter((kind) => kind.family === family)
}

interface Located {
  readonly identity: Identity
  readonly target: string
}

/** Tries an address that a stack owns, then FAMILY/ID. */
async function locate(
  context: Context,
  which: string,
  scope: ResourceScope,
): Promise<Located & { readonly family: string }> {
  const family = familyOf(which as Address)
  if (family === '' || !which.includes('/'))
    throw new Refused('usage', `${which} is neither an address (Bucket/raw) nor FAMILY/ID (Bucket/0a1b2c3d4e5f6071).`)
  const [owned, ...others] = await ownedAt(context, which as Address, scope)
  if (others.length > 0) {
    const stacks = [owned!, ...others].map(({ stack }) => stack)
    throw new Refused('conflict', `Several stacks have ${which}: ${stacks.join(', ')}.`, {
      hint: 'Name the stack with --stack.',
    })
  }
  if (owned !== undefined) return { family, identity: owned.identity, target: owned.target }
  if (scope.stack !== undefined)
    throw new Refused('not-found', `Stack ${scope.stack} has no ${which}.`, {
      code: 'resources/unknown',
      hint: `List its resources: gitmoor stack get ${scope.stack}`,
    })
  if (scope.target !== undefined) await refuseTarget(context, scope.target)
  return { family, identity: which.slice(family.length + 1) as Identity, target: scope.target ?? 'local' }
}

/** Different resources that stacks have under the address. */
async function ownedAt(
  context: Context,
  address: Address,
  { stack, target }: ResourceScope,
): Promise<readonly (Located & { readonly stack: string })[]> {
  const { store, sync } = context
  const owned =
    stack === undefined ? await store.ownership.at(address, mostOwners) : await ownedByStack(context, address, stack)
  const inScope = owned.filter((one) => target === undefined || one.target === target)
  // A target that is gone from the configuration must not hide what others have.
  const systemOf = (name: string): string => (sync.targets.has(name) ? sync.targets.liveSystem(name) : name)
  const different = new Map(inScope.map((one) => [`${systemOf(one.target)} ${one.identity}`, one]))
  return [...different.values()]
}

async function ownedByStack(
  context: Context,
  address: Address,
  name: string,
): Promise<readonly (Located & { readonly stack: string })[]> {
  const { id, spec } = await findStack(context, name)
  const owned = (await context.store.ownership.of(id)).get(address)
  return owned === undefined ? [] : [{ stack: spec.name, identity: owned.identity, target: spec.target }]
}

function notOnTarget(which: string, target: string): Refused {
  return new Refused('not-found', `There is no ${which} on target ${target}.`, {
    code: 'resources/unknown',
    hint: 'List the resources: gitmoor resource list',
  })
}
