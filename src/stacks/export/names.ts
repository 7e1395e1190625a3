// The metaNames of exported resources: from a stack's ownership, else derived from the resource's own id. Pure.
import { compareText } from '../../model/compare-text.js'
import { freeName } from '../free-name.js'
import type { Thing } from './stock.js'

/**
 * Under which name a stack records a thing; `own`: the stack that is exported does, and its names go before those of
 * others.
 */
export interface RecordedName {
  readonly name: string
  readonly own: boolean
  readonly stack: string
}

/**
 * By key. Recorded names are unique in their family, generated ones over all. The same for the same things, in whatever
 * order.
 */
export function nameThings(
  things: readonly Thing[],
  recorded: ReadonlyMap<string, RecordedName>,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const { thing, name } of inTurn(things, recorded)) {
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

/** Who keeps a name that two stacks record comes first. */
function inTurn(
  things: readonly Thing[],
  recorded: ReadonlyMap<string, RecordedName>,
): readonly { thing: Thing; name: string }[] {
  const known = things.flatMap((thing) => {
    const record = recorded.get(thing.key)
    return record === undefined ? [] : [{ thing, ...record }]
  })
  return known.sort((a, b) => Number(b.own) - Number(a.own) || compareText(a.stack, b.stack) || byKey(a.thing, b.thing))
}

function byKey(a: Thing, b: Thing): number {
  return compareText(a.key, b.key)
}
