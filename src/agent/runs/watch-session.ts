import { onAbort } from '../../lib/async/on-abort.js'
import type { Address, Identity } from '../../model/address.js'
import type { SyncError } from '../../model/errors.js'
import type { Owned } from '../../model/resources/resource.js'
import type { Stack } from '../../model/stacks/stack.js'
import type { ResourceLookup, WatchCallbacks, ResourceWatches } from '../../platform/platform.js'
import { kindsByName, type Reached, type Targets } from '../../stacks/targets.js'

interface WatchedResource {
  readonly identity: Identity
  readonly by: ResourceWatches
}

/** A connection that stays open, and the watches of one stack on it. */
export class WatchSession implements AsyncDisposable {
  readonly #reached: Reached
  readonly #callbacks: WatchCallbacks
  readonly #release: () => void
  /** By family; null: its driver does not watch. */
  readonly #watchings = new Map<string, ResourceWatches | null>()
  readonly #watched = new Map<Address, WatchedResource>()

  private constructor(reached: Reached, callbacks: WatchCallbacks, release: () => void) {
    this.#reached = reached
    this.#release = release
    this.#callbacks = {
      woken: callbacks.woken,
      lost: (address: Address, why: SyncError): void => {
        this.#watched.delete(address)
        callbacks.lost(address, why)
      },
    }
  }

  /**
   * `keep`: gets the connection, as work that ends when it is released or `signal` aborts. Errors: of the target and of
   * `signal`.
   */
  static open(
    { spec }: Stack,
    { targets, callbacks, keep }: { targets: Targets; callbacks: WatchCallbacks; keep: (work: Promise<void>) => void },
    signal: AbortSignal,
  ): Promise<WatchSession> {
    return new Promise((resolve, reject) => {
      const connected = targets.reach(spec.target, { stack: spec.name }, signal, async (reached) => {
        signal.throwIfAborted() // aborted while it connected: the event is over
        const released = new Promise<void>((release) => {
          const ignoreAbort = onAbort(signal, release)
          const end = (): void => {
            ignoreAbort()
            release()
          }
          resolve(new WatchSession(reached, callbacks, end))
        })
        await released
      })
      keep(connected.catch((error: unknown) => reject(error)))
    })
  }

  /** The live system that the session is connected to. */
  get system(): string {
    return this.#reached.system
  }

  /** Watches these resources, and no others. Resolves when their watches are active, or reported as lost. */
  async update(owned: Iterable<Owned>): Promise<void> {
    const wanted = new Map([...owned].map((one) => [one.address, one]))
    for (const [address, { identity, by }] of this.#watched) {
      if (wanted.get(address)?.identity === identity) continue
      by.drop([address])
      this.#watched.delete(address)
    }
    const added = new Map<ResourceWatches, ResourceLookup[]>()
    const kindNamed = kindsByName(this.#reached.platform)
    for (const { address, identity, kind } of wanted.values()) {
      const by = this.#watched.has(address) ? undefined : this.#watchingOf(kindNamed(kind, address))
      if (by === undefined) continue
      this.#watched.set(address, { identity, by })
      const lookups = added.get(by)
      if (lookups === undefined) added.set(by, [{ address, identity }])
      else lookups.push({ address, identity })
    }
    await Promise.all([...added].map(([by, lookups]) => by.add(lookups)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      for (const one of this.#watchings.values()) await one?.[Symbol.asyncDispose]()
    } finally {
      this.#release()
    }
  }

  #watchingOf(kind: Parameters<Reached['connection']['driver']>[0] | undefined): ResourceWatches | undefined {
    if (kind === undefined) return undefined
    let watching = this.#watchings.get(kind.family)
    if (watching === undefined) {
      watching = this.#reached.connection.driver(kind).watch?.(this.#callbacks) ?? null
      this.#watchings.set(kind.family, watching)
    }
    return watching ?? undefined
  }
}
