// The targets that are declared, and the right to write to one: applies are serialised per live system and organisation.
import { createHash } from 'node:crypto'
import { Refused } from '../model/errors.js'
import { Lock } from '../model/lock.js'
import { quoted } from '../model/printable.js'
import type { Calling } from '../platform/call-driver.js'
import type { Caller, Connection, Platform, Target } from '../platform/platform.js'

export interface Reached {
  readonly platform: Platform
  readonly connection: Connection
  readonly calling: Calling
  /** The live system: `Targets.liveSystem`. */
  readonly system: string
}

/** An organisation of the reference's wire format: the live system behind a target. `id`: 16 hex digits. */
export interface Organisation {
  readonly id: string
  readonly name: string
  /** The first target that is declared of it. */
  readonly target: string
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

  /** Every live system once, in the order of declaration. */
  organisations(): readonly Organisation[] {
    const found = new Map<string, Organisation>()
    for (const { name: target, organisation: name } of this.#targets.values()) {
      const id = createHash('sha256').update(this.liveSystem(target)).digest('hex').slice(0, 16)
      if (!found.has(id)) found.set(id, { id, name, target })
    }
    return [...found.values()]
  }

  /** By its id. Errors: `Refused` conflict. */
  organisation(id: string): Organisation {
    const all = this.organisations()
    const found = all.find((one) => one.id === id)
    if (found !== undefined) return found
    throw new Refused('conflict', `There is no organization ${quoted(id)}.`, {
      code: 'stacks/organisation-unknown',
      hint: `There are: ${all.map((one) => `${one.name} (${one.id})`).join(', ')}.`,
    })
  }

  /** The organisation that a target is. Errors: `Refused` not-found. */
  organisationOf(target: string): Organisation {
    const system = this.liveSystem(target)
    return this.organisations().find((one) => this.liveSystem(one.target) === system)!
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
    return await work({ platform, connection, calling: { ...this.#calls, caller }, system: this.liveSystem(name) })
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
