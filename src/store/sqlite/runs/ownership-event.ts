// The event of a stack after a run: what it owns, with its associations. A run that changed nothing makes no event.
import { compareText } from '../../../lib/text/compare-text.js'
import { finish, type Steps } from '../../../lib/async/steps.js'
import { createHash } from 'node:crypto'
import { familyOf, nameOf, type Address } from '../../../model/address.js'
import type { EventFamilies, Outcome, OwnershipEvent, OwnershipEventResource } from '../../../model/stacks/run.js'
import { sourceLocation, inlineUrls } from '../../../model/sources/source-spec.js'
import type { StackSpec } from '../../../model/stacks/stack.js'
import { specOf, type OwnedSummary } from '../tables/rows.js'
import { preparedQuery } from '../file/prepared-query.js'
import { build } from '../file/query-builder.js'
import type { SqliteFile } from '../file/sqlite-file.js'

/** The fields of an event beside its resources, which are stored once for all events with the same resources. */
export interface EventFacts {
  readonly eventType: 'create' | 'update' | 'uninstall'
  readonly name: string
  readonly description: string
  readonly sources: readonly string[]
  readonly urls: readonly string[]
}

/** The columns of a run that is an event. */
interface EventColumns {
  readonly event_resources: string
  readonly event: string
}

interface EndedRun {
  readonly stack: string
  readonly run: string
  readonly outcome: Outcome
  readonly wrote: boolean
  /** The resources and their associations are those of the last event. */
  readonly listsSame: boolean
}

/** `resources`: as JSON, stored under its digest. */
export interface EventResourceList {
  readonly digest: string
  readonly resources: string
}

/**
 * The event columns of a run. There is an event only if the resources, an association or a source differ from before,
 * or if the run wrote to the target. The origin that a client names is not a source: a second apply may come from
 * another file.
 */
export function eventAfterRun(
  file: SqliteFile,
  listNow: () => EventResourceList,
  { stack, run, outcome, wrote, listsSame }: EndedRun,
): Partial<EventColumns> {
  const last = lastEvent(file, stack)
  const succeeded = outcome === 'applied' || outcome === 'failed'
  const { intent } = file.get(queries.intent({ run: Number(run) }))!
  const spec = readSpec(file, stack)
  const facts = eventFacts(file, stack, spec, intent === 'sync' ? 'update' : 'uninstall')
  const sources = outcome === 'undone' || intent !== 'sync' ? (last?.facts.sources ?? facts.sources) : facts.sources
  const uninstalls = intent !== 'sync' && outcome !== 'undone' && last?.facts.eventType !== 'uninstall'
  const sameSources =
    last !== undefined && (isPushed(spec) || JSON.stringify(last.facts.sources) === JSON.stringify(sources))
  if (!wrote && sameSources && !uninstalls) return {}
  const list = listsSame && last?.digest != null ? { digest: last.digest } : listNow()
  const same = last?.digest === list.digest && sameSources
  if (same && !(wrote && succeeded) && !uninstalls) return {}
  if (last === undefined && 'resources' in list && list.resources === '[]' && !uninstalls) return {}
  return storeEvent(file, list, { ...facts, sources })
}

/** Inside a transaction: an event that no run makes, with what the stack owns now. */
export function eventNow(
  file: SqliteFile,
  list: EventResourceList,
  stack: string,
  eventType: EventFacts['eventType'],
): EventColumns {
  const facts = eventFacts(file, stack, readSpec(file, stack), eventType)
  const sources = lastEvent(file, stack)?.facts.sources ?? facts.sources
  return storeEvent(file, list, { ...facts, sources })
}

/** Fields that events of older versions lack. */
const missingFacts = { description: '', urls: [] }

/** Inside a read: the newest `limit` events, oldest first. */
export function stackEvents(file: SqliteFile, stack: string, limit: number): readonly OwnershipEvent[] {
  const newest = file.build
    .selectFrom('runs')
    .innerJoin('event_resources', 'event_resources.digest', 'runs.event_resources')
    .select(['runs.id', 'runs.event', 'runs.finished_at', 'event_resources.resources'])
    .where('runs.stack', '=', stack)
    .where('runs.event', 'is not', null)
    .orderBy('runs.id', 'desc')
    .limit(limit)
  return file
    .all(newest)
    .reverse()
    .map((row) => ({
      ...missingFacts,
      ...(JSON.parse(row.event!) as EventFacts),
      run: String(row.id),
      resources: JSON.parse(row.resources) as OwnershipEventResource[],
      updatedAt: row.finished_at!,
    }))
}

/** The resources that a stack owns and shares, as events store them. */
export function eventResourceList(owned: readonly OwnedSummary[], families: EventFamilies): EventResourceList {
  return finish(eventResourceSteps(owned, families))
}

/** The same; a step for each resource. */
export function* eventResourceSteps(owned: readonly OwnedSummary[], families: EventFamilies): Steps<EventResourceList> {
  const hash = createHash('sha256').update('[')
  const texts: string[] = []
  for (const resource of yield* resourcesOf(owned, families)) {
    yield
    const text = JSON.stringify(resource)
    hash.update(texts.length === 0 ? text : `,${text}`)
    texts.push(text)
  }
  return { digest: hash.update(']').digest('hex'), resources: `[${texts.join(',')}]` }
}

/** A list without resources is stored already. */
function storeEvent(
  file: SqliteFile,
  list: EventResourceList | Pick<EventResourceList, 'digest'>,
  facts: EventFacts,
): EventColumns {
  if ('resources' in list) file.run(queries.store(list))
  return { event_resources: list.digest, event: JSON.stringify(facts) }
}

function lastEvent(file: SqliteFile, stack: string): { digest: string | null; facts: EventFacts } | undefined {
  const row = file.get(queries.last({ stack }))
  return row === undefined ? undefined : { digest: row.event_resources, facts: JSON.parse(row.event!) as EventFacts }
}

/** The queries at the end of each run. */
const queries = {
  intent: preparedQuery(({ run }: { readonly run: number }) =>
    build.selectFrom('runs').select('intent').where('id', '=', run),
  ),
  last: preparedQuery(({ stack }: { readonly stack: string }) => {
    const events = build.selectFrom('runs').select(['event_resources', 'event']).where('stack', '=', stack)
    return events.where('event', 'is not', null).orderBy('id', 'desc').limit(1)
  }),
  spec: preparedQuery(({ stack }: { readonly stack: string }) =>
    build.selectFrom('stacks').select('spec').where('id', '=', stack),
  ),
  store: preparedQuery(({ digest, resources }: EventResourceList) =>
    build
      .insertInto('event_resources')
      .values({ digest, resources })
      .onConflict((conflict) => conflict.doNothing()),
  ),
}

function isPushed({ sources }: StackSpec): boolean {
  return sources.every(({ kind }) => kind === 'inline')
}

function readSpec(file: SqliteFile, stack: string): StackSpec {
  return specOf(file.get(queries.spec({ stack }))!.spec)
}

function eventFacts(file: SqliteFile, stack: string, spec: StackSpec, eventType: EventFacts['eventType']): EventFacts {
  return {
    eventType,
    name: spec.displayName ?? spec.name,
    description: spec.description ?? '',
    sources: spec.sources.flatMap((source) =>
      source.kind === 'inline' ? pushedFrom(file, stack) : [sourceLocation(source)],
    ),
    urls: inlineUrls(spec),
  }
}

/** Where a pushed package came from, as far as the client said so. */
function pushedFrom(file: SqliteFile, stack: string): readonly string[] {
  const row = file.get(file.build.selectFrom('pushes').select('sources').where('stack', '=', stack))
  if (row === undefined) return []
  return row.sources === null ? ['inline'] : (JSON.parse(row.sources) as string[])
}

/** Resources without parts, sorted by address. Their needs, and those of their parts, are associations. */
function* resourcesOf(
  owned: readonly OwnedSummary[],
  { associated, unlisted }: EventFamilies,
): Steps<readonly OwnershipEventResource[]> {
  const associations = new Map<Address, { kind: string; metaName: string }[]>()
  for (const { address, partOf, needs } of owned) {
    yield
    const whose = partOf ?? address
    const list = associations.get(whose) ?? []
    for (const need of needs)
      if (need !== whose && associated.includes(familyOf(need)))
        list.push({ kind: familyOf(need), metaName: nameOf(need) })
    associations.set(whose, list)
  }
  const listed = owned.filter(({ address, partOf }) => partOf === undefined && !unlisted.includes(familyOf(address)))
  yield
  const resources: OwnershipEventResource[] = []
  for (const { address, identity } of listed.sort((a, b) => compareText(a.address, b.address))) {
    yield
    resources.push({
      resourceID: identity,
      kind: familyOf(address),
      templateMetaName: nameOf(address),
      associations: (associations.get(address) ?? []).sort((a, b) => compareText(a.metaName, b.metaName)),
    })
  }
  return resources
}
