// What exists on a target and no stack manages. Writes nothing.
import { compareText } from '../../lib/text/compare-text.js'
import { inSlices } from '../../lib/async/steps.js'
import { nameOnTarget } from '../../platform/labelled-resources.js'
import { familyOf } from '../../model/address.js'
import type { ForeignStack, ListedResource } from '../../platform/platform.js'
import type { UnmanagedView } from '../../views/packages/unmanaged.js'
import type { Context } from '../context.js'
import { inventorySteps, type InventoryResource } from '../export/inventory.js'
import { listForeignStacks } from '../import/foreign-stack.js'
import { refuseTarget } from '../resources/find-resource.js'
import { pagesOfListings } from '../targets.js'

const mostNames = 100

/** Errors: `Refused` not-found of the target; those of the target. */
export async function listUnmanaged(context: Context, target: string, signal: AbortSignal): Promise<UnmanagedView> {
  await refuseTarget(context, target)
  return context.sync.targets.reach(target, {}, signal, async (reached) => {
    const listed: ListedResource[] = []
    for await (const page of pagesOfListings(reached, signal)) listed.push(...page)
    const { resources } = await inSlices(inventorySteps(reached.system, reached.platform, listed), signal)
    const known = resources.filter(({ ofSystem }) => !ofSystem)
    const owners = await context.store.ownership.owners(reached.system, known)
    const foreign = await listForeignStacks(reached, {}, signal)
    const unmanaged = known.filter((one) => !owners.has(nameOnTarget(one)))
    return {
      target,
      managed: owners.size,
      families: byFamily(unmanaged),
      stacks: foreign
        .filter((stack) => stack.resources.length > 0)
        .map((stack) => viewForeign(stack, new Set(unmanaged.map(nameOnTarget)), owners)),
      warnings: reached.connection.warnings ?? [],
    }
  })
}

function byFamily(resources: readonly InventoryResource[]): UnmanagedView['families'] {
  const families = new Map<string, string[]>()
  for (const { family, name } of resources) {
    const names = families.get(family)
    if (names === undefined) families.set(family, [name])
    else names.push(name)
  }
  return [...families]
    .sort(([a], [b]) => compareText(a, b))
    .map(([family, names]) => ({ family, count: names.length, names: names.sort(compareText).slice(0, mostNames) }))
}

function viewForeign(
  { id, name, description, resources }: ForeignStack,
  unmanaged: ReadonlySet<string>,
  owners: ReadonlyMap<string, { readonly stack: string }>,
): UnmanagedView['stacks'][number] {
  const listed = resources
    .filter(({ partOf }) => partOf === undefined)
    .map(({ address, identity }) => nameOnTarget({ family: familyOf(address), identity }))
  return {
    id,
    name,
    description,
    resources: listed.length,
    unmanaged: listed.filter((one) => unmanaged.has(one)).length,
    stacks: [...new Set(listed.flatMap((one) => owners.get(one)?.stack ?? []))].sort(compareText),
  }
}
