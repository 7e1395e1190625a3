// Undo looks, and then does what is missing: no error decides what the journal does. See docs/design.md, "The journal".
import type { Address, Identity } from '../model/address.js'
import { Rejected, describeError } from '../model/errors.js'
import { isObject, type Json, type JsonObject } from '../model/json.js'
import type { Kind } from '../model/kind.js'
import type { Problem } from '../model/problem.js'
import type { Observed, Owned } from '../model/resource.js'
import { sameJson } from '../plan/diff.js'
import type { Connection, Driver } from '../platform/platform.js'
import { callDriver } from '../platform/call-driver.js'
import type { Entry, Journal, Sealer } from './journal.js'

export interface UndoDeps {
  readonly stack: string
  readonly journal: Journal
  readonly sealer: Sealer
  readonly connection: Connection
  readonly limitMs: number
  readonly kindNamed: (kind: string) => Kind | undefined
  /** The target refused: ownership will say what is there. Told before that is written down, so that a crash does not hide it. */
  readonly onGivenUp: (problem: Problem) => Promise<void>
}

/**
 * Undoes what the journal holds, newest first, every entry that does not lean on one that failed. Stops early only when `signal` says so.
 * Gives what is left for later, since the target did not answer.
 */
export async function undoEntries(entries: readonly Entry[], deps: UndoDeps, signal: AbortSignal): Promise<readonly Problem[]> {
  const undo = new Undo(deps)
  for (const entry of [...entries].reverse()) {
    signal.throwIfAborted()
    await undo.tryEntry(entry)
  }
  return undo.pending
}

class Undo {
  readonly #deps: UndoDeps
  /** Old identity → new identity, of what was made again. */
  readonly #became = new Map<string, Identity>()
  /** What an entry leaned on and could not be undone, by the address that leans: later entries of these addresses are skipped. */
  readonly #blocked = new Map<Address, 'pending' | 'givenUp'>()
  /** Told of already: an earlier step on the same thing is not told of again. */
  readonly #told = new Set<Address>()
  readonly pending: Problem[] = []

  constructor(deps: UndoDeps) {
    this.#deps = deps
  }

  async tryEntry(entry: Entry): Promise<void> {
    if (entry.state === 'undone') return this.#remember(entry, this.#nowAt(entry.identity))
    const blocked = this.#blockedBy(entry)
    if (blocked !== undefined) return this.#skip(entry, blocked)
    try {
      await this.#undo(entry)
    } catch (error) {
      await this.#fail(entry, error)
    }
  }

  async #undo(entry: Entry): Promise<void> {
    const { change } = entry
    const identity = this.#nowAt(entry.identity) ?? (await this.#find(entry))
    const before = this.#before(entry)
    if (before === undefined && entry.trace === undefined) return this.#mark(entry, identity)
    const there = identity === undefined ? undefined : await this.#look(entry, identity)
    if (before === undefined) {
      if (there !== undefined) await this.#call(`undo: remove ${change.address}`, entry, (driver, signal) => driver.remove(there, signal))
      return this.#mark(entry, undefined)
    }
    if (there === undefined) return this.#makeAgain(entry, before)
    if (!sameJson(there.live, before.live))
      await this.#call(`undo: update ${change.address}`, entry, (driver, signal) => driver.update(there, before.live, signal))
    return this.#mark(entry, there.identity)
  }

  /** What a create with an unanswered trace made, forward or back. */
  async #find(entry: Entry): Promise<Identity | undefined> {
    if (entry.trace === undefined) return undefined
    const found = await this.#call(`find ${entry.change.address}`, entry, (driver, signal) => driver.find(entry.trace as Json, signal))
    return found?.identity
  }

  async #look(entry: Entry, identity: Identity): Promise<Observed | undefined> {
    const { address } = entry.change
    const read = await this.#call(`read ${address}`, entry, (driver, signal) => driver.read([{ address, identity }], signal))
    return read.get(address)
  }

  /** It was removed: the same under a new identity, written down before it is made. */
  async #makeAgain(entry: Entry, before: Observed): Promise<void> {
    const { journal, stack } = this.#deps
    const { address } = entry.change
    const trace = this.#driver(entry).trace(before.live)
    await journal.mark(stack, entry.id, { state: 'undoing', trace, identity: null })
    const made = await this.#call(`undo: create ${address}`, entry, (driver, signal) => driver.create(before.live, trace, signal))
    await journal.mark(stack, entry.id, { identity: made.identity, own: this.#recordsBefore(entry, made.identity) })
    if (!sameJson(made.live, before.live))
      await this.#call(`undo: update ${address}`, entry, (driver, signal) => driver.update(made, before.live, signal))
    return this.#mark(entry, made.identity)
  }

  /** Undone: ownership is what it was, with the identity of what is there now. */
  async #mark(entry: Entry, identity: Identity | undefined): Promise<void> {
    const own = this.#recordsBefore(entry, identity)
    const kept = new Set(own.map(({ address }) => address))
    const disown = kept.has(entry.change.address) ? [] : [entry.change.address]
    await this.#deps.journal.mark(this.#deps.stack, entry.id, { state: 'undone', identity: identity ?? null, own, disown })
    this.#remember(entry, identity)
  }

  /** Records of what was there point at where it is now; a record that led nowhere still does. */
  #recordsBefore(entry: Entry, identity: Identity | undefined): readonly Owned[] {
    const was = this.#was(entry)
    return entry.ownedBefore.map((record) => ({
      ...record,
      identity: identity !== undefined && record.identity === was ? identity : this.#nowAt(record.identity)!,
      applied: this.#relink(record.applied) as JsonObject,
    }))
  }

  /** The identity of what the step found. */
  #was(entry: Entry): Identity | undefined {
    return snapshotOf(entry, this.#deps.sealer)?.identity
  }

  /** Where a thing is now: what a later entry removed was made again as another. */
  #nowAt(identity: Identity | undefined): Identity | undefined {
    return identity === undefined ? undefined : (this.#became.get(identity) ?? identity)
  }

  #before(entry: Entry): Observed | undefined {
    const before = snapshotOf(entry, this.#deps.sealer)
    return before && { identity: before.identity, live: this.#relink(before.live) as JsonObject }
  }

  #remember(entry: Entry, identity: Identity | undefined): void {
    const was = this.#was(entry)
    if (was !== undefined && identity !== undefined && was !== identity) this.#became.set(was, identity)
  }

  /** Equal string leaves that hold the identity of what was made again. */
  #relink(value: Json): Json {
    if (this.#became.size === 0) return value
    if (typeof value === 'string') return this.#became.get(value) ?? value
    if (Array.isArray(value)) return value.map((one: Json) => this.#relink(one))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#relink(one)]))
  }

  async #fail(entry: Entry, error: unknown): Promise<void> {
    const { address } = entry.change
    const problem: Problem = {
      severity: 'error',
      code: 'engine/undo-failed',
      message: `${address} could not be undone: ${describeError(error)}`,
    }
    const how = error instanceof Rejected ? 'givenUp' : 'pending'
    this.#block(entry, how)
    await this.#leave(entry, how, problem)
  }

  async #skip(entry: Entry, how: 'pending' | 'givenUp'): Promise<void> {
    const { address } = entry.change
    const message = `${address} was not undone, since what leans on it could not be.`
    const problem: Problem = { severity: 'error', code: 'engine/undo-skipped', message }
    this.#block(entry, how)
    await this.#leave(entry, how, problem)
  }

  async #leave(entry: Entry, how: 'pending' | 'givenUp', problem: Problem): Promise<void> {
    if (how === 'pending') {
      this.pending.push(problem)
      return
    }
    await this.#giveUp(entry, problem)
  }

  /** Whatever had to come before this entry leans on it, and so does what an earlier run did to the same thing. */
  #block({ change: { address, from = address, after } }: Entry, how: 'pending' | 'givenUp'): void {
    for (const one of [address, from, ...after]) this.#blocked.set(one, how)
  }

  #blockedBy({ change: { address, from = address } }: Entry): 'pending' | 'givenUp' | undefined {
    return this.#blocked.get(address) ?? this.#blocked.get(from)
  }

  /** The target will not have it undone: ownership says what is there. */
  async #giveUp(entry: Entry, problem: Problem): Promise<void> {
    const { journal, stack, onGivenUp } = this.#deps
    const { address } = entry.change
    try {
      if (!this.#told.has(address)) await onGivenUp(problem)
      this.#told.add(address)
      const now = (await journal.open(stack)).find(({ id }) => id === entry.id) ?? entry
      const identity = this.#nowAt(now.identity) ?? (await this.#find(now))
      const there = identity === undefined ? undefined : await this.#look(entry, identity)
      await journal.mark(stack, entry.id, { state: 'undone', identity: there?.identity ?? null, ...this.#whatIsThere(entry, there) })
      this.#remember(entry, there?.identity)
    } catch (error) {
      this.pending.push({ severity: 'error', code: 'engine/undo-failed', message: describeError(error) })
    }
  }

  #whatIsThere(entry: Entry, there: Observed | undefined): { own?: readonly Owned[]; disown?: readonly Address[] } {
    const { change } = entry
    if (there === undefined) return { disown: [change.address] }
    if (change.action === 'remove') return { own: this.#recordsBefore(entry, there.identity) }
    if (change.action !== 'create') return {}
    return { own: [foundRecord(change, there, this.#deps.kindNamed(change.kind))] }
  }

  #driver(entry: Entry): Driver {
    const kind = this.#deps.kindNamed(entry.change.kind)
    if (kind === undefined) throw new Rejected(`This version does not know the kind ${entry.change.kind}.`, { code: 'engine/unknown-kind' })
    return this.#deps.connection.driver(kind)
  }

  #call<T>(what: string, entry: Entry, call: (driver: Driver, signal: AbortSignal) => Promise<T>): Promise<T> {
    const driver = this.#driver(entry)
    return callDriver(what, this.#deps.limitMs, (signal) => call(driver, signal))
  }
}

/** What the step found, as it was. */
export function snapshotOf({ before }: Pick<Entry, 'before'>, sealer: Sealer): Observed | undefined {
  return before === undefined ? undefined : (JSON.parse(sealer.open(before)) as Observed)
}

/** The record of what a create made, where only its journal entry is known. */
export function foundRecord(change: Entry['change'], there: Observed, kind: Kind | undefined): Owned {
  return {
    address: change.address,
    kind: change.kind,
    identity: there.identity,
    applied: kind?.normalise(there.live) ?? there.live,
    needs: change.needs,
    ...(change.partOf === undefined ? {} : { partOf: change.partOf }),
    adopted: false,
  }
}
