// The stacks that the system behind a target keeps itself, and which of their resources gitmoor can own.
import { familyOf, nameOf, type Address, type Identity } from '../../model/address.js'
import { Refused } from '../../model/errors.js'
import type { Observed, Owned } from '../../model/resources/resource.js'
import { quoted } from '../../lib/text/printable.js'
import { shellWord } from '../../lib/text/shell-word.js'
import { observe } from '../../engine/observe.js'
import { callDriver } from '../../platform/call-driver.js'
import { nameOnTarget } from '../../platform/labelled-resources.js'
import type { ForeignResource, ForeignStack, ListedResource, TargetPlatform } from '../../platform/platform.js'
import { declaringKind } from '../ownership/declaring-kind.js'
import { kindsByName, type Reached } from '../targets.js'

/** All of them; none, if the system keeps none. */
export async function listForeignStacks(
  { connection, calling }: Reached,
  options: { readonly id?: string },
  signal: AbortSignal,
): Promise<readonly ForeignStack[]> {
  if (connection.foreignStacks === undefined) return []
  const list = (inner: AbortSignal): Promise<readonly ForeignStack[]> => connection.foreignStacks!(options, inner)
  return callDriver('list stacks', calling, list, signal)
}

/** Errors: `Refused` not-found. */
export async function findForeignStack(
  id: string,
  target: string,
  reached: Reached,
  signal: AbortSignal,
): Promise<ForeignStack> {
  const discover = `gitmoor stack discover --target ${shellWord(target)}`
  if (reached.connection.foreignStacks === undefined)
    throw new Refused('not-found', `Target ${target} keeps no stacks of its own.`, {
      code: 'stacks/foreign-unknown',
      hint: `To take over what the package declares, leave out the id. See what exists: ${discover}`,
    })
  const [found] = await listForeignStacks(reached, { id }, signal)
  if (found !== undefined) return found
  throw new Refused('not-found', `Target ${target} has no stack with the id ${quoted(id.slice(0, 100))}.`, {
    code: 'stacks/foreign-unknown',
    hint: `See what gitmoor does not manage there: ${discover}`,
  })
}

/** A resource that the foreign stack lists and gitmoor cannot own: it is gone, or the target made it itself. */
export interface LeftOut {
  readonly family: string
  readonly name: string
  readonly identity: Identity
  readonly why: 'gone' | 'system' | 'unknown-kind'
}

/** Reads the listed resources. `own`: those that gitmoor can own, as they are now. */
export async function existingResources(
  listed: readonly ForeignResource[],
  { platform, connection, calling }: Reached,
  signal: AbortSignal,
): Promise<{ readonly own: readonly Owned[]; readonly leftOut: readonly LeftOut[] }> {
  const candidates = new Map(listed.flatMap((one) => candidate(one, platform)).map((one) => [one.address, one]))
  const reading = { resources: [], owned: candidates, kindNamed: kindsByName(platform) }
  const observed = await observe(reading, { connection, calling }, signal)
  const ofSystem = platform.madeByTarget?.([...observed].map(([address, there]) => listedAt(address, there)))
  const own = new Map<Address, Owned>()
  const leftOut: LeftOut[] = []
  for (const { address, identity, partOf } of listed) {
    const family = familyOf(address)
    const there = observed.get(address)
    const record = candidates.get(address)
    if (record !== undefined && there !== undefined && ofSystem?.has(nameOnTarget({ family, identity })) !== true) {
      const kind = declaringKind(platform, family, there) ?? platform.kinds.find((one) => one.family === family)!
      own.set(address, { ...record, kind: kind.kind, applied: kind.normalise(there.actual) })
    } else if (partOf === undefined) {
      const why = record === undefined ? 'unknown-kind' : there === undefined ? 'gone' : 'system'
      leftOut.push({ family, name: nameOf(address), identity, why })
    }
  }
  return { own: [...own.values()].filter(({ partOf }) => partOf === undefined || own.has(partOf)), leftOut }
}

/** None, if the platform has no kind for it. */
function candidate(resource: ForeignResource, { kinds }: TargetPlatform): readonly Owned[] {
  const kind = kinds.find(({ family }) => family === familyOf(resource.address))
  return kind === undefined ? [] : [{ ...resource, kind: kind.kind, applied: {}, adopted: true }]
}

function listedAt(address: Address, observed: Observed): ListedResource {
  return { family: familyOf(address), observed }
}
