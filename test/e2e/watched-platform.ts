// A platform with hooks for tests: every call of a driver is counted, and may be delayed, refused, or have
// its answer lost.
import { Unavailable } from '../../src/model/errors.js'
import type { JsonObject } from '../../src/model/json.js'
import type { Kind } from '../../src/model/resources/kind.js'
import type { Caller, Connection, Driver, Kinds, Platform, Target } from '../../src/platform/platform.js'

export interface DriverCall {
  readonly verb: 'read' | 'find' | 'create' | 'update' | 'remove'
  readonly family: string
}

/**
 * Called before a call is made: may wait, or throw in its place. `lose`: the call is made, and its answer is lost.
 */
export type OnCall = (call: DriverCall) => Promise<void | 'lose'> | void | 'lose'

const writing = new Set<DriverCall['verb']>(['create', 'update', 'remove'])

export class WatchedPlatform implements Platform {
  readonly name: string
  readonly version = 1
  readonly #inner: Platform & Kinds
  #calls: DriverCall[] = []
  #onCall: OnCall = () => {}
  /** The callers of connections. */
  readonly callers: (Caller | undefined)[] = []

  /** `name`: by which targets name it. */
  constructor(inner: Platform & Kinds, name: string) {
    this.#inner = inner
    this.name = name
  }

  get onFailure(): Platform['onFailure'] {
    return this.#inner.onFailure
  }
  get updatesInParallel(): boolean {
    return this.#inner.updatesInParallel === true
  }
  get kinds(): readonly Kind[] {
    return this.#inner.kinds
  }
  get explainUnknownKind(): Kinds['explainUnknownKind'] {
    return this.#inner.explainUnknownKind
  }
  systemId(settings: JsonObject): string {
    return this.#inner.systemId(settings)
  }
  reportsChanges(settings: JsonObject): boolean {
    return this.#inner.reportsChanges?.(settings) === true
  }
  get secretStore(): NonNullable<Platform['secretStore']> {
    return this.#inner.secretStore!
  }
  get labelling(): NonNullable<Platform['labelling']> {
    return this.#inner.labelling!
  }
  get madeByTarget(): NonNullable<Platform['madeByTarget']> {
    return (listed) => this.#inner.madeByTarget!(listed)
  }

  /** The platform itself. */
  get inner(): Platform & Kinds {
    return this.#inner
  }

  /** Calls that write, since the last `reset`. */
  get writes(): readonly DriverCall[] {
    return this.#calls.filter(({ verb }) => writing.has(verb))
  }

  reset(): void {
    this.#calls = []
    this.#onCall = () => {}
  }

  /** Until the next `reset`. */
  onCall(onCall: OnCall): void {
    this.#onCall = onCall
  }

  /** From now on calls of this verb wait until they are released. */
  holdCalls(held: DriverCall['verb']): { readonly reached: Promise<void>; readonly release: () => void } {
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const reached = new Promise<void>((resolve) =>
      this.onCall(async ({ verb }) => {
        if (verb !== held) return
        resolve()
        await released
      }),
    )
    return { reached, release: () => release() }
  }

  kind(kind: string, apiVersion: string): Kind | undefined | 'version' {
    return this.#inner.kind(kind, apiVersion)
  }

  async connect(target: Target, signal: AbortSignal, caller?: Caller): Promise<Connection> {
    this.callers.push(caller)
    const connection = await this.#inner.connect(target, signal, caller)
    return {
      concurrency: connection.concurrency,
      driver: (kind) => this.#watch(connection.driver(kind), kind.family),
      list: (options, inner) => connection.list(options, inner),
      ...(connection.foreignStacks && {
        foreignStacks: (options, inner) => connection.foreignStacks!(options, inner),
      }),
      [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
    }
  }

  #watch(driver: Driver, family: string): Driver {
    const called = async <T>(verb: DriverCall['verb'], call: () => Promise<T>): Promise<T> => {
      const one = { verb, family }
      this.#calls.push(one)
      const fate = await this.#onCall(one)
      const answer = await call()
      if (fate === 'lose') throw new Unavailable('The answer is lost.', { code: 'platform/lost' })
      return answer
    }
    return {
      trace: (state) => driver.trace(state),
      read: (desired, signal) => called('read', () => driver.read(desired, signal)),
      find: (trace, signal) => called('find', () => driver.find(trace, signal)),
      create: (state, trace, signal) => called('create', () => driver.create(state, trace, signal)),
      update: (now, state, signal) => called('update', () => driver.update(now, state, signal)),
      remove: (now, signal) => called('remove', () => driver.remove(now, signal)),
      ...(driver.removeLeftovers && {
        removeLeftovers: (gone, signal) => called('remove', () => driver.removeLeftovers!(gone, signal)),
      }),
      ...(driver.watch && { watch: (callbacks) => driver.watch!(callbacks) }),
    }
  }
}
