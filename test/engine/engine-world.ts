// The engine over a real store and the embedded platform, with journal and drivers watched, for one stack.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine, type RunContext } from '../../src/engine/engine.js'
import type { JournalEntry } from '../../src/engine/journal.js'
import { Rejected, Unavailable } from '../../src/model/errors.js'
import type { JsonObject } from '../../src/model/json.js'
import type { Problem } from '../../src/model/problem.js'
import type { Owned } from '../../src/model/resources/resource.js'
import type { Run } from '../../src/model/stacks/run.js'
import type { IgnoreRule, Stack } from '../../src/model/stacks/stack.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import type { DriverCall } from '../../src/platform/call-driver.js'
import type { Connection, Driver } from '../../src/platform/platform.js'
import { Keyring } from '../../src/secrets/keyring.js'
import { planStack } from '../../src/stacks/plans/plan-stack.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import {
  callText,
  halfMade,
  watchJournal,
  watchPlatform,
  withDrivers,
  type Around,
  type Call,
} from '../crash/watched.js'
import { ManualClock } from '../manual-clock.js'
import { plainKinds } from '../plain/plain-kinds.js'
import { PlainPlatform } from '../plain/plain-platform.js'
import { declare, type Doc } from '../plan/scenario.js'
import { openNewStore } from '../new-data-directory.js'

export const never = new AbortController().signal
const target = { name: 'local', platform: 'plain', settings: { space: 'main' } }

/**
 * What happens to a call: nothing, or what a target does that fails. `lost`: it is done, but the answer does not come.
 */
export type Fate = 'well' | 'refused' | 'unavailable' | 'lost'

export class EngineWorld implements AsyncDisposable {
  readonly clock = new ManualClock()
  readonly store: SqliteStore
  readonly platform: PlainPlatform
  engine: Engine
  readonly sealer = new Keyring(randomBytes(32))
  /** Calls of the journal and the drivers in their order, without reads. */
  readonly calls: string[] = []
  /** Decides about every call. */
  fate: (call: string) => Fate = () => 'well'
  /** Called before every call of a driver. */
  pause: (call: string) => Promise<void> | undefined = () => undefined
  concurrency = 32
  /** Of one call of a driver. */
  limitMs = 30_000
  /** Every call of a driver that ended, as the engine names it. */
  readonly driverCalls: string[] = []
  /** Of the package, kept with its run. */
  warnings: readonly Problem[] = []
  /** Ignored fields of the stack. */
  ignore: readonly IgnoreRule[] = []
  onTurn: () => void = () => {}
  /** A create makes a resource with its name only. */
  halfMade = false
  /** Plans take over what other stacks own. */
  takesOver = false
  /** What a test puts around each driver, before the first connection. */
  around: (driver: Driver, family: string) => Driver = (driver) => driver
  readonly #directory = mkdtempSync(join(tmpdir(), 'gitmoor-engine-'))
  #stack: Stack | undefined
  #connection: Connection | undefined

  constructor() {
    this.store = openNewStore(join(this.#directory, 'gitmoor.db'), this.clock)
    this.platform = new PlainPlatform(this.store.documents, { sealer: new Keyring(new Uint8Array(32)) })
    this.engine = new Engine({
      journal: watchJournal(this.store.journal, this.#around),
      sealer: this.sealer,
    })
  }

  readonly #around: Around = async (call, make) => {
    const text = callText(call)
    if (call.verb !== 'read') this.calls.push(text)
    const pause = this.pause(text)
    if (pause !== undefined) await pause // otherwise the call is made at once, as without a watch
    return meet(this.fate(text), call, make)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.store[Symbol.dispose]()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  async stack(): Promise<Stack> {
    this.#stack ??= (await this.#create('boards')).stack
    return (await this.store.stacks.get(this.#stack.id))!
  }

  #create(name: string): ReturnType<SqliteStore['stacks']['create']> {
    const sources = [{ kind: 'git', url: 'file:///nowhere', ref: 'main', path: '' }] as const
    return this.store.stacks.create(
      { ...stackDefaults, name, sources, dataLoss: 'allow', ignore: this.ignore },
      { managedBy: 'api', target: 'plain/main', cause: { kind: 'created' } },
    )
  }

  async connection(): Promise<Connection> {
    this.#connection ??= await watchPlatform(
      withDrivers(this.halfMade ? halfMade(this.platform) : this.platform, (driver, family) =>
        this.around(driver, family),
      ),
      this.#around,
      this.concurrency,
    ).connect(target, never)
    return this.#connection
  }

  async newRun(): Promise<Run> {
    const stack = await this.stack()
    return this.store.runs.add({ stack: stack.id, revision: `main@sha1:${'1'.repeat(40)}`, cause: { kind: 'commit' } })
  }

  async acting(run: Run): Promise<RunContext> {
    const connection = await this.connection()
    const calling = {
      caller: { run: run.id },
      limitMs: this.limitMs,
      onCall: ({ call }: DriverCall) => void this.driverCalls.push(call),
    }
    const { lease } = await this.store.runs.takeLease(run)
    return {
      lease,
      connection,
      calling,
      kindNamed: (name) => plainKinds.find(({ kind }) => kind === name),
      ignore: this.ignore,
    }
  }

  /** Plans and applies a package by a new run. Gives the run and what came of it. */
  async apply(
    documents: readonly Doc[],
    {
      onFailure = 'undo',
      signal = never,
    }: { readonly onFailure?: 'undo' | 'continue'; readonly signal?: AbortSignal } = {},
  ): Promise<{ readonly run: Run; readonly outcome: string }> {
    const run = await this.newRun()
    const acting = await this.acting(run)
    const open = await this.engine.recover(acting, never)
    const resources = declare(...documents)
    const { engine, store, platform } = this
    const { connection, calling } = acting
    const deps = { store, platform, connection, calling, system: 'plain/main' }
    const planned = await planStack(
      await this.stack(),
      { revision: run.revision, resources, takesOver: this.takesOver },
      deps,
      never,
    )
    const { plan, owned, observed } = planned
    await this.engine.confirm(acting, open, planned)
    const byAddress = new Map(resources.map((resource) => [resource.address, resource]))
    const applied = { revision: run.revision, content: '', files: '', place: '' }
    const outcome = await engine.apply(
      { ...acting, plan, byAddress, owned, observed, onFailure, problems: this.warnings, applied, onUndo: this.onTurn },
      signal,
    )
    return { run: (await store.runs.get(run.id))!, outcome }
  }

  /** Goes on with an undo, as after a retry. */
  async undo(run: Run): Promise<string> {
    const acting = await this.acting(run)
    await this.engine.recover(acting, never)
    const { problems } = (await this.store.runs.get(run.id))!
    return this.engine.undo(acting, { problems, failure: (await this.stack()).failure }, never)
  }

  async journal(): Promise<readonly JournalEntry[]> {
    return this.store.journal.openEntries((await this.stack()).id)
  }

  /** `Label Red` or, without a name, `LabelMapping`, of everything but the system's own; sorted. */
  async resources(): Promise<readonly string[]> {
    const documents = await this.store.documents.list('main', { limit: 500 })
    return documents
      .filter(({ state }) => state['description'] !== 'System bucket')
      .map(({ family, state }) => (typeof state['name'] === 'string' ? `${family} ${state['name']}` : family))
      .toSorted()
  }

  /** The state of a resource on the target. */
  async state(family: string, name: string): Promise<JsonObject | undefined> {
    const documents = await this.store.documents.list('main', { limit: 500 })
    return documents.find((document) => document.family === family && document.state['name'] === name)?.state
  }

  /** A person changes fields of a label on the target. */
  async changeLabel(name: string, fields: JsonObject): Promise<void> {
    const id = (await this.idOf('Label', name))!
    const state = { ...(await this.state('Label', name)), ...fields }
    await this.store.documents.replace('main', 'Label', { id, key: name.toLowerCase(), state, links: [] })
  }

  async idOf(family: string, name: string): Promise<string | undefined> {
    const documents = await this.store.documents.list('main', { limit: 500 })
    return documents.find((document) => document.family === family && document.state['name'] === name)?.id
  }

  /** Address → identity. */
  async owned(): Promise<Readonly<Record<string, string>>> {
    return Object.fromEntries((await this.records()).map(({ address, identity }) => [address, identity]))
  }

  async records(): Promise<readonly Owned[]> {
    return [...(await this.store.ownership.of((await this.stack()).id)).values()]
  }
}

async function meet<T>(fate: Fate, call: Call, make: () => Promise<T>): Promise<T> {
  const text = callText(call)
  if (fate === 'refused') throw new Rejected(`The target refused to ${text}.`, { code: 'platform/refused' })
  if (fate === 'unavailable') throw new Unavailable(`No answer to ${text}.`, { code: 'platform/gone' })
  const done = await make()
  if (fate === 'lost') throw new Unavailable(`The answer to ${text} was lost.`, { code: 'platform/lost' })
  return done
}

/** A driver with some of its verbs in place of its own. */
export function driverWith(driver: Driver, over: Partial<Driver>): Driver {
  return {
    read: (desired, signal) => driver.read(desired, signal),
    trace: (held) => driver.trace(held),
    find: (trace, signal) => driver.find(trace, signal),
    create: (held, trace, signal) => driver.create(held, trace, signal),
    update: (now, held, signal) => driver.update(now, held, signal),
    remove: (now, signal) => driver.remove(now, signal),
    ...over,
  }
}
