// The targets that are declared, and the right to write to one: applies are serialised per live system and organisation.
import { Refused } from '../model/errors.js'
import { Lock } from '../model/lock.js'
import type { Calling } from '../platform/call-driver.js'
import type { Caller, Connection, Platform, Target } from '../platform/platform.js'

export interface Reached {
  readonly platform: Platform
  readonly connection: Connection
  readonly calling: Calling
}

export class Targets {
  readonly #targets: ReadonlyMap<string, Target>
  readonly #platforms: ReadonlyMap<string, Platform>
  readonly #calls: Omit<Calling, 'caller'>
  readonly #locks = new Map<string, Lock>()

  /** `calls`: how drivers are called. */
  constructor(targets: readonly Target[], platforms: readonly Platform[], calls: Omit<Calling, 'caller'>) {
    this.#calls = calls
    this.#targets = new Map(targets.map((target) => [target.name, target]))
    this.#platforms = new Map(platforms.map((platform) => [platform.name, platform]))
  }

  get names(): readonly string[] {
    return [...this.#targets.keys()]
  }

  /** Errors: `Refused` not-found. */
  platformOf(name: string): Platform {
    return this.#platforms.get(this.#target(name).platform)!
  }

  /** The live system behind a name: two names of one system own the same things. */
  liveSystem(name: string): string {
    const { platform, organisation } = this.#target(name)
    return `${platform}/${organisation}`
  }

  /** Alone on the live system until `work` ends. */
  hold<T>(name: string, caller: Caller, signal: AbortSignal, work: (reached: Reached) => Promise<T>): Promise<T> {
    const system = this.liveSystem(name)
    let lock = this.#locks.get(system)
    if (lock === undefined) this.#locks.set(system, (lock = new Lock()))
    return lock.run(signal, () => this.reach(name, caller, signal, work))
  }

  /** For looking only: others may write meanwhile. */
  async reach<T>(name: string, caller: Caller, signal: AbortSignal, work: (reached: Reached) => Promise<T>): Promise<T> {
    const platform = this.platformOf(name)
    await using connection = await platform.connect(this.#target(name), signal, caller)
    return await work({ platform, connection, calling: { ...this.#calls, caller } })
  }

  #target(name: string): Target {
    const target = this.#targets.get(name)
    if (target !== undefined) return target
    throw new Refused('not-found', `There is no target named ${name}.`, {
      code: 'stacks/target-unknown',
      hint: `Declared are: ${this.names.join(', ')}. Targets are declared in the configuration file.`,
    })
  }
}
