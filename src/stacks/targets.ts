// The declared targets, and the lock of each: writes are serialised per live system.
import { createHash } from 'node:crypto'
import { familyOf } from '../model/address.js'
import type { KindNamed } from '../model/resources/kind.js'
import { liveSystemName, type LiveSystem } from '../model/resources/live-system.js'
import { Bug, Refused, Unavailable, type SyncError } from '../model/errors.js'
import { InProcessLocks } from '../lib/async/in-process-locks.js'
import { lockNames, withLock, withSharedLock, type Locks } from '../lib/async/locks.js'
import { withoutUndefined } from '../lib/without-undefined.js'
import { Semaphore } from '../lib/async/semaphore.js'
import { type CallContext, callDriver } from '../platform/call-driver.js'
import type {
  Caller,
  Connection,
  Kinds,
  ListedResource,
  Platform,
  Target,
  TargetPlatform,
} from '../platform/platform.js'
import { hasKinds } from '../platform/register-platforms.js'
import { correction } from '../settings/did-you-mean.js'

export interface Reached {
  readonly platform: TargetPlatform
  readonly connection: Connection
  readonly calling: CallContext
  /** The live system: `Targets.liveSystem`. */
  readonly system: string
}

/** What is done with a connection to a target. */
type Work<T> = (reached: Reached) => Promise<T>

/** The target of a stack is not declared, or not as that live system. What is stored of the stack can still be read. */
class TargetMissing extends Unavailable {
  /** `stack`: that is bound to it; undefined: unknown. */
  constructor(message: string, declaration: string, stack?: string) {
    const deletion = stack === undefined ? '' : `\nOr delete the stack: gitmoor stack delete ${stack}`
    super(message, { code: 'platform/target-missing', hint: `${declaration}${deletion}` })
  }
}

interface TargetsOptions {
  /** How drivers are called. */
  readonly calls: Omit<CallContext, 'caller'>
  /** The error for a target that is not declared. `stack`: that is bound to it. Default: `TargetMissing`. */
  readonly missing?: (target: string, stack?: string) => SyncError
  /** Default: its own. */
  readonly locks?: Locks
  readonly places?: Map<string, Semaphore>
  /** What connections said last, by live system. */
  readonly learned?: Map<string, Kinds>
  /** The live systems that stacks are bound to, by the name of their target. */
  readonly bound?: Map<string, string>
}

export class Targets {
  #targets: ReadonlyMap<string, Target>
  readonly #platforms: ReadonlyMap<string, Platform>
  readonly #options: Required<TargetsOptions>

  constructor(targets: readonly Target[], platforms: readonly Platform[], options: TargetsOptions) {
    const shared = { locks: new InProcessLocks(), places: new Map(), learned: new Map(), bound: new Map() }
    this.#options = { missing: targetMissing, ...shared, ...options }
    this.#targets = new Map(targets.map((target) => [target.name, target]))
    this.#platforms = new Map(platforms.map((platform) => [platform.name, platform]))
  }

  /**
   * From now on, a target that is declared as another live system than its stacks are bound to is missing: they would
   * be applied to the other system, and what they own would stay behind without an owner.
   */
  bind(systems: ReadonlyMap<string, string>): void {
    const { bound } = this.#options
    bound.clear()
    for (const [name, system] of systems) bound.set(name, system)
  }

  /** Why a declared target is missing; undefined: it is not. */
  refusal(name: string): SyncError | undefined {
    return this.#boundElsewhere(name) === undefined ? undefined : this.missing(name)
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
    return this.#targets.has(name) && this.#boundElsewhere(name) === undefined
  }

  /** True if drivers of the target can watch resources. */
  reportsChanges(name: string): boolean {
    const target = this.#targets.get(name)
    return target !== undefined && this.#platformOf(target).reportsChanges?.(target.settings) === true
  }

  /** For a target in a request. Errors: `Refused` not-found; its refusal. */
  refuseUnknown(name: string): void {
    this.get(name)
    if (!this.has(name)) throw this.missing(name)
  }

  /** A declared target, also a refused one. Errors: `Refused` not-found. */
  get(name: string): Target {
    const target = this.#targets.get(name)
    if (target !== undefined) return target
    throw new Refused('not-found', `There is no target named ${name}.`, {
      code: 'stacks/target-unknown',
      ...correction(name, this.names, `Targets of the configuration file: ${this.names.join(', ')}.`),
    })
  }

  /**
   * The platform of a target, with its kinds as they are now: it connects if they are not known without. Errors:
   * `TargetMissing`; those of the target.
   */
  async platformOf(name: string, caller: Caller, signal: AbortSignal): Promise<TargetPlatform> {
    const platform = this.#platformOf(this.#target(name, caller))
    return hasKinds(platform) ? platform : this.reach(name, caller, signal, async (reached) => reached.platform)
  }

  /** The kinds of a target without connecting; none, if it is no longer declared or was never connected. */
  known(name: string): Pick<TargetPlatform, 'kinds'> {
    const target = this.#targets.get(name)
    if (target === undefined) return { kinds: [] }
    const platform = this.#platformOf(target)
    return hasKinds(platform) ? platform : (this.#options.learned.get(this.#systemOf(target)) ?? { kinds: [] })
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
        found.set(id, { id, platform, name: this.#platformOf(target).systemId(settings), target: name })
    }
    return [...found.values()]
  }

  /** No other work of gitmoor writes to the live system until `work` ends; or no more than its platform permits. */
  lock<T>(name: string, caller: Caller, signal: AbortSignal, work: Work<T>): Promise<T> {
    return this.#locked(withLock, { name, caller, signal }, work)
  }

  /** True if the platform permits `lockShared`. */
  permitsSharing(name: string): boolean {
    const target = this.#targets.get(name)
    return target !== undefined && this.#platformOf(target).updatesInParallel === true
  }

  /** The same as `lock`, but beside other work that shares it: each only updates what its stack alone owns. */
  lockShared<T>(name: string, caller: Caller, signal: AbortSignal, work: Work<T>): Promise<T> {
    return this.#locked(withSharedLock, { name, caller, signal }, work)
  }

  async #locked<T>(
    withTarget: typeof withLock,
    { name, caller, signal }: { readonly name: string; readonly caller: Caller; readonly signal: AbortSignal },
    work: Work<T>,
  ): Promise<T> {
    const target = this.#target(name, caller) // as it is locked, also if it is replaced meanwhile
    const { places = 1 } = this.#platformOf(target)
    const system = this.#systemOf(target)
    const reach = (): Promise<T> => this.#connect(target, caller, signal, work)
    return places === 1
      ? withTarget(this.#options.locks, lockNames.target(system), signal, reach)
      : this.#placesOf(system, places).run(reach, signal)
  }

  /** For reads. Other work may write to the target meanwhile. */
  async reach<T>(name: string, caller: Caller, signal: AbortSignal, work: Work<T>): Promise<T> {
    return this.#connect(this.#target(name, caller), caller, signal, work)
  }

  async #connect<T>(target: Target, caller: Caller, signal: AbortSignal, work: Work<T>): Promise<T> {
    const platform = this.#platformOf(target)
    await using connection = await platform.connect(target, signal, caller)
    const calling = { ...this.#options.calls, caller }
    const system = this.#systemOf(target)
    return await work({ platform: this.#withKinds(platform, connection, system), connection, calling, system })
  }

  /** Keeps the kinds of the connection for `known`. */
  #withKinds(platform: Platform, { kinds: given }: Connection, system: string): TargetPlatform {
    if (hasKinds(platform)) return platform
    if (given === undefined) throw new Bug(`The platform ${platform.name} gives no kinds, and its connection neither.`)
    this.#options.learned.set(system, given)
    const { name, onFailure, secretStore, labelling } = platform
    return {
      name,
      onFailure,
      ...withoutUndefined({ secretStore, labelling }),
      ...(platform.madeByTarget && { madeByTarget: (listed) => platform.madeByTarget!(listed) }),
      kinds: given.kinds,
      kind: (kind, apiVersion) => given.kind(kind, apiVersion),
      explainUnknownKind: (kind, apiVersion) => given.explainUnknownKind(kind, apiVersion),
    }
  }

  #placesOf(system: string, places: number): Semaphore {
    let semaphore = this.#options.places.get(system)
    if (semaphore === undefined) this.#options.places.set(system, (semaphore = new Semaphore(places)))
    return semaphore
  }

  #platformOf({ platform }: Target): Platform {
    return this.#platforms.get(platform)!
  }

  #systemOf(target: Target): string {
    return liveSystemName(target.platform, this.#platformOf(target).systemId(target.settings))
  }

  #target(name: string, { stack }: Caller = {}): Target {
    const target = this.#targets.get(name)
    if (target !== undefined && this.#boundElsewhere(name) === undefined) return target
    throw this.missing(name, stack)
  }

  /** The live system that stacks of the target are bound to, if the target is declared as another one. */
  #boundElsewhere(name: string): string | undefined {
    const target = this.#targets.get(name)
    const system = this.#options.bound.get(name)
    return target === undefined || system === this.#systemOf(target) ? undefined : system
  }

  /** The error for a target that is not declared, or as another live system. `stack`: that is bound to it. */
  missing(name: string, stack?: string): SyncError {
    const system = this.#boundElsewhere(name)
    if (system === undefined) return this.#options.missing(name, stack)
    const declared = this.#systemOf(this.#targets.get(name)!)
    return new TargetMissing(
      `Target ${name} is declared as ${declared}, but its stacks are bound to ${system}.`,
      `Declare it as ${system} again, and ${declared} under another name. Then send the signal HUP to the agent.`,
      stack,
    )
  }
}

function targetMissing(name: string, stack?: string): SyncError {
  return new TargetMissing(
    `Target ${name} is not declared in the configuration file.`,
    `Declare ${name} under "targets" again and send the signal HUP to the agent.`,
    stack,
  )
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
    const list = (inner: AbortSignal) => connection.list({ limit: pageSize, after }, inner)
    const page = await callDriver('list', calling, list, signal)
    yield page
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) return
    after = `${last.family}/${last.observed.identity}`
  }
}

/** Of several kinds with one name and family, the first. */
export function kindsByName(platform: Pick<Kinds, 'kinds'>): KindNamed {
  const kinds = new Map(platform.kinds.toReversed().map((kind) => [`${kind.family}/${kind.kind}`, kind]))
  return (kind, address) => kinds.get(`${familyOf(address)}/${kind}`)
}
