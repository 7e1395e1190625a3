// Adopts existing resources into a stack. Writes nothing to the target.
import { addressOf, familyOf, nameOf, type Address, type Identity } from '../../model/address.js'
import { Refused } from '../../model/errors.js'
import type { Kind } from '../../model/resources/kind.js'
import type { Adoptee, Observed, Owned } from '../../model/resources/resource.js'
import type { Stack, StackSpec } from '../../model/stacks/stack.js'
import { callDriver } from '../../platform/call-driver.js'
import type { TargetPlatform } from '../../platform/platform.js'
import { declaringKind, isPart } from './declaring-kind.js'
import { freeName } from '../export/names.js'
import type { Reached } from '../targets.js'
import { loadPackage } from '../load-package/load-package.js'
import { currentRevision } from '../load-package/sources-at-revision.js'
import { packageGraph } from '../load-package/read-declared.js'
import type { Context } from '../context.js'
import { releasedSource } from '../load-package/remotes.js'

/**
 * Ownership of the adopted resources, without those that the stack has already. Errors: `Refused` conflict, if a
 * resource does not exist, is of another kind, or belongs to another stack.
 */
export async function adopt(
  context: Context,
  stack: Stack,
  adoptees: readonly Adoptee[],
  reached: Reached,
  signal: AbortSignal,
): Promise<readonly Owned[]> {
  const owned = await context.store.ownership.of(stack.id)
  const names = new Set(
    [...owned.values()].filter(({ partOf }) => partOf === undefined).map(({ address }) => nameOf(address)),
  )
  const known = new Set([...owned.values()].map(({ address, identity }) => `${familyOf(address)}/${identity}`))
  const records: Owned[] = []
  for (const adoptee of adoptees) {
    const { family } = kindFor(reached.platform, adoptee.kind)
    if (known.has(`${family}/${adoptee.id}`)) continue
    known.add(`${family}/${adoptee.id}`)
    const name = nameFor(adoptee, family, names)
    names.add(name)
    records.push(await adoptedResource(addressOf(family, name), adoptee, reached, signal))
  }
  await refuseOwned(context, stack.spec, records)
  return records
}

/** A kind, or the first of a family. Parts of other resources cannot be adopted. */
export function kindFor({ kinds }: TargetPlatform, named: string): Kind {
  const adoptable = kinds.filter((one) => !isPart(one))
  const kind = adoptable.find((one) => one.kind === named) ?? adoptable.find(({ family }) => family === named)
  if (kind !== undefined) return kind
  const names = [...new Set(adoptable.map(({ family }) => family))].join(', ')
  throw new Refused('conflict', `${JSON.stringify(named.slice(0, 100))} is not a kind of resource.`, {
    code: 'stacks/kind-unknown',
    hint: `Use one of these kinds: ${names}.`,
  })
}

async function adoptedResource(
  address: Address,
  { kind: named, id }: Adoptee,
  { platform, connection, calling }: Reached,
  signal: AbortSignal,
): Promise<Owned> {
  const kind = kindFor(platform, named)
  const identity = id as Identity
  const driver = connection.driver(kind)
  const read = await callDriver(
    `read ${address}`,
    calling,
    (inner) => driver.read([{ address, identity }], inner),
    signal,
  )
  const there = read.get(address)
  if (there === undefined || there.identity !== identity)
    throw new Refused('conflict', `There is no ${kind.family} with the id ${id} on the target.`, {
      code: 'stacks/resource-missing',
      hint: 'List the resources: gitmoor resource list',
    })
  refuseMadeByTarget(platform, kind, there)
  const concrete = declaringKind(platform, kind.family, there) ?? kind
  if (named !== kind.family && concrete.kind !== named)
    throw new Refused('conflict', `${id} is a ${concrete.kind}, not a ${named}.`, { code: 'stacks/other-kind' })
  return { address, kind: concrete.kind, identity, applied: concrete.normalise(there.actual), needs: [], adopted: true }
}

/** A stack never owns a resource that the target made itself: gitmoor could not remove it. */
function refuseMadeByTarget(platform: TargetPlatform, { family }: Kind, observed: Observed): void {
  const { identity } = observed
  if (platform.madeByTarget?.([{ family, observed }]).has(`${family}/${identity}`) !== true) return
  throw new Refused('conflict', `The ${family} ${identity} is a system resource of the target.`, {
    code: 'stacks/system-resource',
  })
}

/** A name as in an export, if none is given or another resource of the stack has it. */
function nameFor({ metaName, id }: Adoptee, family: string, taken: ReadonlySet<string>): string {
  return metaName === undefined || taken.has(metaName) ? freeName({ family, identity: id }, taken) : metaName
}

/** Errors: `Refused` conflict, if a stack owns one of these resources of the target. */
export async function refuseOwned(
  { store, sync: { targets } }: Context,
  spec: Pick<StackSpec, 'target'>,
  records: readonly Owned[],
): Promise<void> {
  const resources = records.map(({ address, identity }) => ({ family: familyOf(address), identity }))
  const owners = await store.ownership.owners(targets.liveSystem(spec.target), resources)
  for (const [resource, owner] of owners)
    throw new Refused('conflict', `${resource} belongs to stack ${owner.stack}, as ${owner.address}.`, {
      code: 'stacks/owned-elsewhere',
      hint: `Release it there first: gitmoor stack release ${owner.stack} ${owner.address}`,
    })
}

/**
 * A stack that follows a source adopts only resources that its package declares: its next sync would remove others.
 * Errors: `Refused` conflict; those of the source and the package.
 */
export async function refuseUndeclared(
  context: Context,
  stack: Stack,
  address: Address,
  signal: AbortSignal,
): Promise<void> {
  if (stack.spec.sources.every(({ kind }) => kind === 'inline')) return
  const revision = stack.pinned?.revision ?? (await currentRevision(stack.spec, releasedSource(context), signal))
  const loaded = await loadPackage(stack, { revision, cause: { kind: 'person' } }, context.sync, signal)
  const { resources } = await packageGraph(loaded, stack, context.sync, signal)
  if (resources.some((resource) => resource.address === address)) return
  throw new Refused(
    'conflict',
    `The package of ${stack.spec.name} does not declare ${address}: the next sync would remove it.`,
    {
      code: 'stacks/not-declared',
      hint: 'Declare the resource in the package, then adopt it.',
    },
  )
}
