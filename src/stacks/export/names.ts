// The metaNames of exported resources: from a stack's ownership, else derived from the resource's own id. Pure.
import { compareText } from '../../lib/compare-text.js'
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
 * resources.
 */
export function nameResources(
  things: readonly InventoryResource[],
  recorded: ReadonlyMap<string, RecordedName>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const { thing, name } of byPrecedence(things, recorded)) {
    if (taken.has(`${thing.family}/${name}`)) continue
    taken.add(`${thing.family}/${name}`)
    names.set(thing.key, name)
  }
  const all = new Set(names.values())
  for (const thing of [...things].sort(byKey)) {
    if (names.has(thing.key)) continue
    const name = freeName(thing, all)
    all.add(name)
    names.set(thing.key, name)
  }
  return names
}

/** The stack that keeps a name which two stacks use comes first. */
function byPrecedence(
  things: readonly InventoryResource[],
  recorded: ReadonlyMap<string, RecordedName>,
): readonly { thing: InventoryResource; name: string }[] {
  const known = things.flatMap((thing) => {
    const record = recorded.get(thing.key)
    return record === undefined ? [] : [{ thing, ...record }]
  })
  return known.sort((a, b) => Number(b.own) - Number(a.own) || compareText(a.stack, b.stack) || byKey(a.thing, b.thing))
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
