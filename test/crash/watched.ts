// The journal and the drivers as they are, with somebody who is asked before each call and told after it.
import type { JournalEntry, Journal } from '../../src/engine/journal.js'
import type { Driver, Platform } from '../../src/platform/platform.js'

/**
 * One call: `create Bucket raw`, `mark`. A driver's `write` is what it does to the target; `read`s are no writes and
 * `find`s are looked at alike.
 */
export interface Call {
  readonly of: 'journal' | 'driver'
  readonly verb: string
  /** Of a driver's calls: the family; then the name of what is held, if it has one. */
  readonly family?: string
  readonly name?: string
}

/** Makes the call, or does not. */
export type Around = <T>(call: Call, make: () => Promise<T>) => Promise<T>

export function callText({ verb, family, name }: Call): string {
  return [verb, family, name].filter((word) => word !== undefined).join(' ')
}

/** Every verb of the journal goes through `around`. */
export function watchJournal(journal: Journal, around: Around): Journal {
  const via = <T>(verb: string, make: () => Promise<T>): Promise<T> => around({ of: 'journal', verb }, make)
  return {
    begin: (...args) => via('begin', () => journal.begin(...args)),
    recordProgress: (...args) => via('mark', () => journal.recordProgress(...args)),
    drop: (...args) => via('drop', () => journal.drop(...args)),
    startUndo: (...args) => via('turn', () => journal.startUndo(...args)),
    openEntries: (...args) => via<readonly JournalEntry[]>('open', () => journal.openEntries(...args)),
    settle: (...args) => via('settle', () => journal.settle(...args)),
  }
}

/** Every call of a driver goes through `around`, reads among them. `concurrency`: in place of the platform's own. */
export function watchPlatform(platform: Platform, around: Around, concurrency?: number): Platform {
  return withDrivers(platform, (driver, family) => watchDriver(driver, family, around), concurrency)
}

/** The platform with its drivers inside others. */
export function withDrivers(
  platform: Platform,
  wrap: (driver: Driver, family: string) => Driver,
  concurrency?: number,
): Platform {
  const { name, onFailure, kinds, explainUnknownKind } = platform
  const connect: Platform['connect'] = async (target, signal) => {
    const connection = await platform.connect(target, signal)
    return {
      concurrency: concurrency ?? connection.concurrency,
      driver: (kind) => wrap(connection.driver(kind), kind.family),
      list: (options, inner) => connection.list(options, inner),
      [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
    }
  }
  return {
    name,
    onFailure,
    kinds,
    explainUnknownKind,
    kind: (kind, apiVersion) => platform.kind(kind, apiVersion),
    connect,
  }
}

/** A target that makes things with their names only: an update must follow each create. */
export function halfMade(platform: Platform): Platform {
  return withDrivers(platform, (driver) => ({
    read: (wanted, signal) => driver.read(wanted, signal),
    trace: (held) => driver.trace(held),
    find: (trace, signal) => driver.find(trace, signal),
    create: (held, trace, signal) => driver.create('name' in held ? { name: held['name']! } : held, trace, signal),
    update: (now, held, signal) => driver.update(now, held, signal),
    remove: (now, signal) => driver.remove(now, signal),
  }))
}

function watchDriver(driver: Driver, family: string, around: Around): Driver {
  const via = <T>(verb: string, held: object, make: () => Promise<T>): Promise<T> => {
    const name = 'name' in held && typeof held.name === 'string' ? { name: held.name } : {}
    return around({ of: 'driver', verb, family, ...name }, make)
  }
  return {
    read: (wanted, signal) => via('read', {}, () => driver.read(wanted, signal)),
    trace: (held) => driver.trace(held),
    find: (trace, signal) => via('find', {}, () => driver.find(trace, signal)),
    create: (held, trace, signal) => via('create', held, () => driver.create(held, trace, signal)),
    update: (now, held, signal) => via('update', held, () => driver.update(now, held, signal)),
    remove: (now, signal) => via('remove', now.actual, () => driver.remove(now, signal)),
  }
}

/** One after the other: `outer` is asked first. */
export function both(outer: Around, inner: Around): Around {
  return (call, make) => outer(call, () => inner(call, make))
}
