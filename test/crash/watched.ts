// The journal, the plans of runs and the drivers as they are, with a function around each call.
import type { JsonObject } from '../../src/model/json.js'
import type { JournalEntry, Journal } from '../../src/engine/journal.js'
import type { Driver, Platform } from '../../src/platform/platform.js'
import type { RunTable } from '../../src/store/run-table.js'
import { overriding } from '../overriding.js'

/** One call: `create Bucket raw`, `progress`, `plan`. */
export interface Call {
  readonly of: 'journal' | 'runs' | 'driver'
  readonly verb: string
  /** Of a driver's calls: the family; then the name of the resource, if it has one. */
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
  const via: Via = (verb, make) => around({ of: 'journal', verb }, make)
  return {
    takeLease: (stack) => journal.takeLease(stack),
    // One call for each step, so that their number does not depend on which steps begin together.
    begin: (lease, steps) => nested(steps.length, via, () => journal.begin(lease, steps)),
    recordProgress: (...args) => via('progress', () => journal.recordProgress(...args)),
    recordLater: (...args) => via('progress', () => journal.recordLater(...args)),
    flush: (lease) => journal.flush(lease),
    drop: (...args) => via('drop', () => journal.drop(...args)),
    startUndo: (...args) => via('start undo', () => journal.startUndo(...args)),
    openEntries: (...args) => via<readonly JournalEntry[]>('open', () => journal.openEntries(...args)),
    isTaken: (...args) => journal.isTaken(...args),
    isOpen: (...args) => via('open', () => journal.isOpen(...args)),
    settle: (...args) => via('settle', () => journal.settle(...args)),
  }
}

type Via = <T>(verb: string, make: () => Promise<T>) => Promise<T>

function nested<T>(times: number, via: Via, make: () => Promise<T>): Promise<T> {
  return times === 0 ? make() : via('begin', () => nested(times - 1, via, make))
}

/** The plan of a run is stored through `around`: nothing of the run is on the target yet. */
export function watchPlans(runs: RunTable, around: Around): RunTable {
  return overriding(runs, {
    savePlan: (...args) => around({ of: 'runs', verb: 'plan' }, () => runs.savePlan(...args)),
  })
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
  const connect: Platform['connect'] = async (target, signal, caller) => {
    const connection = await platform.connect(target, signal, caller)
    return {
      concurrency: concurrency ?? connection.concurrency,
      driver: (kind) => wrap(connection.driver(kind), kind.family),
      list: (options, inner) => connection.list(options, inner),
      [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
    }
  }
  return overriding(platform, { connect })
}

/** What a target that creates incomplete resources makes of a state. */
type Half = (state: JsonObject) => JsonObject

const nameOnly: Half = (state) => ('name' in state ? { name: state['name']! } : state)

/** A target that creates incomplete resources: an update must follow each create. */
export function halfMade(platform: Platform, half = nameOnly): Platform {
  return withDrivers(platform, (driver) => ({
    read: (lookups, signal) => driver.read(lookups, signal),
    trace: (state) => driver.trace(half(state)),
    find: (trace, signal) => driver.find(trace, signal),
    create: (state, trace, signal) => driver.create(half(state), trace, signal),
    update: (now, state, signal) => driver.update(now, state, signal),
    remove: (now, signal) => driver.remove(now, signal),
  }))
}

function watchDriver(driver: Driver, family: string, around: Around): Driver {
  const via = <T>(verb: string, state: object, make: () => Promise<T>): Promise<T> => {
    const name = 'name' in state && typeof state.name === 'string' ? { name: state.name } : {}
    return around({ of: 'driver', verb, family, ...name }, make)
  }
  return {
    read: (lookups, signal) => via('read', {}, () => driver.read(lookups, signal)),
    trace: (state) => driver.trace(state),
    find: (trace, signal) => via('find', {}, () => driver.find(trace, signal)),
    create: (state, trace, signal) => via('create', state, () => driver.create(state, trace, signal)),
    update: (now, state, signal) => via('update', state, () => driver.update(now, state, signal)),
    remove: (now, signal) => via('remove', now.actual, () => driver.remove(now, signal)),
    ...(driver.removeLeftovers && {
      removeLeftovers: (gone, signal) => via('remove leftovers', {}, () => driver.removeLeftovers!(gone, signal)),
    }),
    ...(driver.snapshot && { snapshot: (state) => driver.snapshot!(state) }),
  }
}

/** One after the other: `outer` is called first. */
export function both(outer: Around, inner: Around): Around {
  return (call, make) => outer(call, () => inner(call, make))
}
