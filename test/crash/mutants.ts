// The engine broken on purpose, by what is put around its parts: each must be caught.
import { Engine } from '../../src/engine/engine.js'
import type { JournalEntry, Journal, Sealer } from '../../src/engine/journal.js'
import { isObject, type Json, type JsonObject, type Sealed } from '../../src/model/json.js'
import type { Driver, Platform } from '../../src/platform/platform.js'
import { withDrivers } from './watched.js'

type EngineParts = ConstructorParameters<typeof Engine>[0]

/** What an engine is made of. */
export interface Parts {
  readonly journal: Journal
  readonly platform: Platform
  readonly sealer: Sealer
  readonly engine: (parts: EngineParts) => Engine
}

export const honest = (parts: Parts): Parts => parts

export const mutants = {
  'no relink': (parts: Parts) => ({
    ...parts,
    sealer: maskingSealer(parts.sealer),
    platform: withDrivers(parts.platform, unmaskingDriver),
  }),
  'identity not journalled': (parts: Parts) => ({ ...parts, journal: withoutIdentity(parts.journal) }),
  'new trace not journalled': (parts: Parts) => ({
    ...parts,
    journal: marking(parts.journal, (mark) => (mark.state === 'undoing' ? without(mark, 'trace') : mark)),
  }),
  'ownership not restored': (parts: Parts) => ({
    ...parts,
    journal: marking(parts.journal, (mark) =>
      mark.state === 'undone' ? without(without(mark, 'own'), 'disown') : mark,
    ),
  }),
  'no resolve before a plan': (parts: Parts) => ({
    ...parts,
    engine: (engineParts: EngineParts) => new ForgetfulEngine(engineParts),
  }),
} satisfies Record<string, (parts: Parts) => Parts>

type MarkOf = Parameters<Journal['recordProgress']>[2]

function without<T extends object>(value: T, key: keyof T): T {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) as T
}

function marking(journal: Journal, change: (mark: MarkOf) => MarkOf): Journal {
  return {
    ...bound(journal),
    recordProgress: (stack, entry, mark) => journal.recordProgress(stack, entry, change(mark)),
  }
}

function withoutIdentity(journal: Journal): Journal {
  return {
    ...marking(journal, (mark) => without(mark, 'identity')),
    begin: (stack, run, change, known) => journal.begin(stack, run, change, without(known, 'identity')),
  }
}

function bound(journal: Journal): Journal {
  return {
    begin: (...args) => journal.begin(...args),
    recordProgress: (...args) => journal.recordProgress(...args),
    drop: (...args) => journal.drop(...args),
    startUndo: (...args) => journal.startUndo(...args),
    openEntries: (...args) => journal.openEntries(...args),
    settle: (...args) => journal.settle(...args),
  }
}

/** Goes on without looking for what lost answers made. */
class ForgetfulEngine extends Engine {
  readonly #journal: Journal

  constructor(parts: EngineParts) {
    super(parts)
    this.#journal = parts.journal
  }

  override recover({ stack }: { readonly stack: string }): Promise<readonly JournalEntry[]> {
    return this.#journal.openEntries(stack)
  }
}

/** Ids inside snapshots cannot be told as such, so that none is replaced by what it became. */
function maskingSealer(sealer: Sealer): Sealer {
  const seal = (text: string): Sealed => {
    const { identity, live } = JSON.parse(text) as { identity: string; live: JsonObject }
    return sealer.seal(
      JSON.stringify({ identity, live: eachText(live, (one) => (/^[0-9a-f]{16}$/.test(one) ? `${one}~` : one)) }),
    )
  }
  return { seal, open: (sealed) => sealer.open(sealed) }
}

function unmask(held: JsonObject): JsonObject {
  return eachText(held, (one) => (/^[0-9a-f]{16}~$/.test(one) ? one.slice(0, -1) : one)) as JsonObject
}

function eachText(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one: Json) => eachText(one, change))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, eachText(one, change)]))
}

function unmaskingDriver(driver: Driver): Driver {
  return {
    read: (wanted, signal) => driver.read(wanted, signal),
    trace: (held) => driver.trace(unmask(held)),
    find: (trace, signal) => driver.find(trace, signal),
    create: (held, trace, signal) => driver.create(unmask(held), trace, signal),
    update: (now, held, signal) => driver.update(now, unmask(held), signal),
    remove: (now, signal) => driver.remove(now, signal),
  }
}
