// An agent that is broken on purpose, by wrapping its journal and its platform: the crash matrix must catch each one.
import type { Journal, Sealer } from '../../src/engine/journal.js'
import { isObject, type Json, type JsonObject, type Sealed } from '../../src/model/json.js'
import type { Driver, Platform } from '../../src/platform/platform.js'
import { overriding } from '../overriding.js'
import { withDrivers } from './watched.js'

/** `sealer`: opens and seals the snapshots of the journal. */
export interface Mutant {
  readonly journal?: (journal: Journal, sealer: Sealer) => Journal
  readonly platform?: (platform: Platform) => Platform
}

export const mutants = {
  'no relink': {
    journal: maskingSnapshots,
    platform: (platform) => withDrivers(platform, unmaskingDriver),
  },
  'identity not journalled': { journal: withoutIdentity },
  'new trace not journalled': {
    journal: (journal) =>
      changingProgress(journal, (progress) => (progress.state === 'undoing' ? without(progress, 'trace') : progress)),
  },
  'ownership not restored': {
    journal: (journal) =>
      changingProgress(journal, (progress) =>
        progress.state === 'undone' ? without(without(progress, 'own'), 'disown') : progress,
      ),
  },
  'no resolve before a plan': { journal: withoutTraces },
} satisfies Record<string, Mutant>

type Progress = Parameters<Journal['recordProgress']>[2]

function without<T extends object>(value: T, key: keyof T): T {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) as T
}

function changingProgress(journal: Journal, change: (progress: Progress) => Progress): Journal {
  return overriding(journal, {
    recordProgress: (lease, entry, progress) => journal.recordProgress(lease, entry, change(progress)),
    recordLater: (lease, entry, progress) => journal.recordLater(lease, entry, change(progress)),
  })
}

function withoutIdentity(journal: Journal): Journal {
  return overriding(
    changingProgress(journal, (progress) => without(progress, 'identity')),
    {
      begin: (lease, steps) =>
        journal.begin(
          lease,
          steps.map((step) => without(step, 'identity')),
        ),
    },
  )
}

/** Nothing is searched for that an unconfirmed create may have made. */
function withoutTraces(journal: Journal): Journal {
  return overriding(journal, {
    openEntries: async (stack) => (await journal.openEntries(stack)).map((entry) => without(entry, 'trace')),
  })
}

/** Ids in snapshots are masked, so an undo does not replace them with new ids. */
function maskingSnapshots(journal: Journal, sealer: Sealer): Journal {
  const mask = (sealed: Sealed): Sealed => {
    const snapshot = JSON.parse(sealer.open(sealed)) as { readonly actual: JsonObject }
    const actual = eachText(snapshot.actual, (text) => (/^[0-9a-f]{16}$/.test(text) ? `${text}~` : text))
    return sealer.seal(JSON.stringify({ ...snapshot, actual }))
  }
  return overriding(journal, {
    begin: (lease, steps) =>
      journal.begin(
        lease,
        steps.map((step) => (step.before === undefined ? step : { ...step, before: mask(step.before) })),
      ),
  })
}

function unmask(state: JsonObject): JsonObject {
  return eachText(state, (text) => (/^[0-9a-f]{16}~$/.test(text) ? text.slice(0, -1) : text)) as JsonObject
}

function eachText(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one: Json) => eachText(one, change))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, eachText(one, change)]))
}

function unmaskingDriver(driver: Driver): Driver {
  return {
    read: (lookups, signal) => driver.read(lookups, signal),
    trace: (state) => driver.trace(unmask(state)),
    find: (trace, signal) => driver.find(trace, signal),
    create: (state, trace, signal) => driver.create(unmask(state), trace, signal),
    update: (now, state, signal) => driver.update(now, unmask(state), signal),
    remove: (now, signal) => driver.remove(now, signal),
  }
}
