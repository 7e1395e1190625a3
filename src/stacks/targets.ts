// The declared targets, and the lock of each: writes are serialised per live system.
import { createHash } from 'node:crypto'
import { Refused, Unavailable, type SyncError } from '../model/errors.js'
import { KeyedLocks } from '../lib/keyed-locks.js'
import { type CallContext, callDriver } from '../platform/call-driver.js'
import type { Caller, Connection, Platform, Target, ListedResource } from '../platform/platform.js'
import { didYouMean } from '../settings/did-you-mean.js'

export interface Reached {
  readonly platform: Platform
  readonly connection: Connection
  readonly calling: CallContext
  /** The live system: `Targets.liveSystem`. */
  readonly system: string
}

/** A live system behind targets. `id`: 16 hex digits; `name`: its id on its platform. */
export interface LiveSystem {
  readonly id: string
  readonly platform: string
  readonly name: string
  /** The first target that is declared of it. */
  readonly target: string
}

/** A stack is bound to a target that is no longer declared. What is stored of the stack can still be read. */
export class TargetMissing extends Unavailable {
  /** `stack`: that is bound to it; undefined: unknown. */
  constructor(name: string, stack?: string) {
    const deletion = stack === undefined ? '' : ` Or delete the stack: gitmoor stack delete ${stack}`
    super(`Target ${name} is not declared in the configuration file.`, {
      code: 'platform/target-missing',
      hint: `Declare ${name} under "targets" again and send the signal HUP to the agent.${deletion}`,
    })
  }
}

interface TargetsOptions {
  /** How drivers are called. */
  readonly calls: Omit<CallContext, 'caller'>
  /** The error for a target that is not declared. `stack`: that is bound to it. Default: `TargetMissing`. */
  readonly missing?: (target: string, stack?: string) => SyncError
  readonly locks?: KeyedLocks
}

export class Targets {
  #targets: ReadonlyMap<string, Target>
  readonly #platforms: ReadonlyMap<string, Platform>
  readonly #options: Required<TargetsOptions>

  constructor(targets: readonly Target[], platforms: readonly Platform[], options: TargetsOptions) {
    this.#options = { missing: targetMissing, locks: new KeyedLocks(), ...options }
    this.#targets = new Map(targets.map((target) => [target.name, target]))
    this.#platforms = new Map(platforms.map((platform) => [platform.name, platform]))
  }

  /** Declares these targets from now on. */
  replace(targets: readonly Target[]): void {
    this.#targets = new Map(targets.map((target) => [target.name, target]))
  }

  /** The targets as they are declared now, for a run: a later `replace` does not change them. Shares the locks. */
  snapshot(): Targets {
    return new Targets([...this.#targets.values()], [...this.#platforms.values()], this.#options)
  }

  get names(): readonly string[] {
    return [...this.#targets.keys()]
  }

  get declared(): readonly Target[] {
    return [...this.#targets.values()]
  }

  has(name: string): boolean {
    return this.#targets.has(name)
  }

  /** For a target in a request. Errors: `Refused` not-found. */
  refuseUnknown(name: string): void {
    if (this.has(name)) return
    throw new Refused('not-found', `There is no target named ${name}.`, {
      code: 'stacks/target-unknown',
      hint: didYouMean(name, this.names) ?? `Targets of the configuration file: ${this.names.join(', ')}.`,
    })
  }

  /** Errors: `TargetMissing`. */
  platformOf(name: string, caller?: Caller): Platform {
    return this.#platforms.get(this.#target(name, caller).platform)!
  }

  /** The kinds of a target, for views; none, if it is no longer declared. */
  known(name: string): Pick<Platform, 'kinds'> {
    return this.has(name) ? this.platformOf(name) : { kinds: [] }
  }

  /** The live system behind a name: two names of one system own the same resources. Errors: `TargetMissing`. */
  liveSystem(name: string, caller?: Caller): string {
    return this.#systemOf(this.#target(name, caller))
  }

  /** Every live system once, in the order of declaration. */
  systems(): readonly LiveSystem[] {
    const found = new Map<string, LiveSystem>()
    for (const target of this.#targets.values()) {
      const { name, platform, settings } = target
      const id = createHash('sha256').update(this.#systemOf(target)).digest('hex').slice(0, 16)
      if (!found.has(id))
        found.set(id, { id, platform, name: this.#platforms.get(platform)!.systemId(settings), target: name })
    }
    return [...found.values()]
  }

  /** No other work of gitmoor writes to the live system until `work` ends. */
  lock<T>(name: string, caller: Caller, signal: AbortSignal, work: (reached: Reached) => Promise<T>): Promise<T> {
    return this.#options.locks.run(this.liveSystem(name, caller), signal, () => this.reach(name, caller, signal, work))
  }

  /** For reads. Other work may write to the target meanwhile. */
  async reach<T>(
    name: string,
    caller: Caller,
    signal: AbortSignal,
    work: (reached: Reached) => Promise<T>,
  ): Promise<T> {
    const target = this.#target(name, caller)
    const platform = this.#platforms.get(target.platform)!
    await using connection = await platform.connect(target, signal, caller)
    const calling = { ...this.#options.calls, caller }
    return await work({ platform, connection, calling, system: this.#systemOf(target) })
  }

  #systemOf({ platform, settings }: Target): string {
    return `${platform}/${this.#platforms.get(platform)!.systemId(settings)}`
  }

  #target(name: string, { stack }: Caller = {}): Target {
    const target = this.#targets.get(name)
    if (target !== undefined) return target
    throw this.missing(name, stack)
  }

  /** The error for a target that is not declared. `stack`: that is bound to it. */
  missing(target: string, stack?: string): SyncError {
    return this.#options.missing(target, stack)
  }
}

function targetMissing(target: string, stack?: string): SyncError {
  return new TargetMissing(target, stack)
}

const pageSize = 500

/**
 * All resources of a target, by family and identity, in pages of 500. `family`: begins there. Errors: those of the
 * target.
 */
export async function* pagesOfListings(
  { connection, calling }: Reached,
  signal: AbortSignal,
  family?: string,
): AsyncGenerator<readonly ListedResource[]> {
  for (let after = family === undefined ? undefined : `${family}/`; ;) {
    const options = { limit: pageSize, after }
    const page = await callDriver('list', calling, (inner) => connection.list(options, inner), signal)
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = `${last.family}/${last.observed.identity}`
  }
}
