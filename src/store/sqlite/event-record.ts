// A stack's record after a run (packages 6.1, 6.3): what it owns, with labels, and whether that makes an event (D35).
import { createHash } from 'node:crypto'
import { familyOf, nameOf, type Address } from '../../model/address.js'
import type { Owned } from '../../model/resource.js'
import type { EventResource, Outcome } from '../../model/run.js'
import { locationOf } from '../../model/source-spec.js'
import type { StackSpec } from '../../model/stack.js'
import type { SqliteFile } from './sqlite-file.js'

/** What an event remembers beside its resources, which are kept once for all events that have the same. */
export interface EventFacts {
  readonly eventType: 'update' | 'uninstall'
  readonly name: string
  readonly sources: readonly string[]
}

/** The columns of the run: an event only where the resource list, an association, a source or any platform write differs from before. */
export function eventAfter(
  file: SqliteFile,
  owned: () => readonly Owned[],
  { stack, run, outcome, wrote }: { readonly stack: string; readonly run: string; readonly outcome: Outcome; readonly wrote: boolean },
): { record?: string; event?: string } {
  const last = lastEvent(file, stack)
  const succeeded = outcome === 'applied' || outcome === 'failed'
  const { intent, sources: named, name } = factsOf(file, stack, run)
  const sources = outcome === 'undone' ? (last?.sources ?? named) : named
  const sameSources = JSON.stringify(last?.sources) === JSON.stringify(sources)
  if (!wrote && sameSources) return {}
  const resources = JSON.stringify(resourcesOf(owned()))
  const record = createHash('sha256').update(resources).digest('hex')
  const same = last?.record === record && sameSources
  if (same && !(wrote && succeeded)) return {}
  if (last === undefined && resources === '[]') return {}
  file.run(
    file.build
      .insertInto('records')
      .values({ digest: record, resources })
      .onConflict((conflict) => conflict.doNothing()),
  )
  const facts: EventFacts = { eventType: intent === 'uninstall' ? 'uninstall' : 'update', name, sources }
  return { record, event: JSON.stringify(facts) }
}

function lastEvent(file: SqliteFile, stack: string): { record: string | null; sources: readonly string[] } | undefined {
  const row = file.get(
    file.build
      .selectFrom('runs')
      .select(['record', 'event'])
      .where('stack', '=', stack)
      .where('event', 'is not', null)
      .orderBy('id', 'desc')
      .limit(1),
  )
  return row === undefined ? undefined : { record: row.record, sources: (JSON.parse(row.event!) as EventFacts).sources }
}

function factsOf(file: SqliteFile, stack: string, run: string): { intent: string; sources: readonly string[]; name: string } {
  const { intent } = file.get(file.build.selectFrom('runs').select('intent').where('id', '=', Number(run)))!
  const row = file.get(file.build.selectFrom('stacks').select('spec').where('id', '=', stack))!
  const spec = JSON.parse(row.spec) as StackSpec
  return {
    intent,
    name: spec.displayName ?? spec.name,
    sources: spec.sources.map(locationOf),
  }
}

/** Resources without parts; what a part leans on beside its parent is an association. Sorted by address. */
function resourcesOf(
  records: readonly Owned[],
): readonly (Omit<EventResource, 'apiVersion' | 'associations'> & { associations: EventResource['associations'] })[] {
  const associations = new Map<Address, { kind: string; metaName: string }[]>()
  for (const { partOf, needs } of records) {
    if (partOf === undefined) continue
    const list = associations.get(partOf) ?? []
    for (const need of needs) if (need !== partOf) list.push({ kind: familyOf(need), metaName: nameOf(need) })
    associations.set(partOf, list)
  }
  return records
    .filter((record) => record.partOf === undefined)
    .sort((a, b) => (a.address < b.address ? -1 : 1))
    .map(({ address, identity }) => ({
      resourceID: identity,
      kind: familyOf(address),
      templateMetaName: nameOf(address),
      associations: (associations.get(address) ?? []).sort((a, b) => (a.metaName < b.metaName ? -1 : 1)),
    }))
}
