// The metaNames of exported resources: from a stack's ownership, else derived from the resource's own id. Pure.
import { compareText } from '../../lib/compare-text.js'
import type { Steps } from '../../lib/steps.js'
import type { InventoryResource } from './inventory.js'
import { generatedName } from '../../kinds/influxdb/influxdb.js'

/** The name of a resource in a stack. `own`: in the exported stack, whose names take precedence. */
export interface RecordedName {
  readonly name: string
  readonly own: boolean
  readonly stack: string
}

/**
 * By key. Names of stacks are unique in their family, generated names over all. Independent of the order of the
 * resources. A step for each resource.
 */
export function* nameResources(
  resources: readonly InventoryResource[],
  recorded: ReadonlyMap<string, RecordedName>,
): Steps<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const { resource, name } of yield* byPrecedence(resources, recorded)) {
    yield
    if (taken.has(`${resource.family}/${name}`)) continue
    taken.add(`${resource.family}/${name}`)
    names.set(resource.key, name)
  }
  const all = new Set(names.values())
  for (const resource of [...resources].sort(byKey)) {
    yield
    if (names.has(resource.key)) continue
    const name = freeName(resource, all)
    all.add(name)
    names.set(resource.key, name)
  }
  return names
}

/** The stack that keeps a name which two stacks use comes first. */
function* byPrecedence(
  resources: readonly InventoryResource[],
  recorded: ReadonlyMap<string, RecordedName>,
): Steps<readonly { resource: InventoryResource; name: string }[]> {
  const known: (RecordedName & { readonly resource: InventoryResource })[] = []
  for (const resource of resources) {
    yield
    const record = recorded.get(resource.key)
    if (record !== undefined) known.push({ resource, ...record })
  }
  return known.sort(
    (a, b) => Number(b.own) - Number(a.own) || compareText(a.stack, b.stack) || byKey(a.resource, b.resource),
  )
}

function byKey(a: InventoryResource, b: InventoryResource): number {
  return compareText(a.key, b.key)
}

/** A name that no other resource has taken. The same resource gets the same name each time. */
export function freeName(
  { family, identity }: { readonly family: string; readonly identity: string },
  taken: ReadonlySet<string>,
): string {
  let name = generatedName(identity)
  for (let turn = 1; taken.has(name); turn++) name = generatedName(`${family}/${identity}/${turn}`)
  return name
}
