// The configuration of an agent that runs. A reload puts all of a valid file into force and nothing of an invalid one;
// it names the changed keys that need a restart.
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../lib/clock.js'
import type { ConfigurationStatus } from '../model/agent/configuration-status.js'
import { errorsOf, firstProblems, type Checked, type Problem } from '../model/problem.js'
import { emptyFileCode, emptyReload } from './other-file.js'
import type { Configuration } from './config.js'

export interface RunningConfigurationDeps {
  /** Reads what `replace` needs from the database. */
  readonly prepare: () => Promise<void>
  /** Replaces the settings that a reload takes. It does not throw, and nothing else runs meanwhile. */
  readonly replace: (configuration: Configuration, before: Configuration) => void
  /** Declares the stacks and fleets of the configuration. Returns the problems of those that are refused. */
  readonly declare: (configuration: Configuration, isStart: boolean) => Promise<readonly Problem[]>
  readonly clock: Pick<Clock, 'now'>
}

/** The result of a reload. `problems`: the errors of a refused file, or the warnings of an accepted one. */
export interface Reloaded {
  readonly accepted: boolean
  readonly problems: readonly Problem[]
}

export class RunningConfiguration {
  readonly #deps: RunningConfigurationDeps
  #inForce: Configuration
  #status: ConfigurationStatus
  /** Reloads take turns: the last one reads the newest file. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(configuration: Configuration, deps: RunningConfigurationDeps) {
    this.#deps = deps
    this.#inForce = configuration
    this.#status = {
      file: configuration.file ?? null,
      loadedAt: deps.clock.now(),
      refused: null,
      needsRestart: [],
      refusedStacks: [],
      values: configuration.values,
    }
  }

  get status(): ConfigurationStatus {
    return this.#status
  }

  /** The settings that the agent works with. */
  get inForce(): Configuration {
    return this.#inForce
  }

  /** Declares the stacks of the configuration of the start. Rejects if the database fails. */
  start(): Promise<void> {
    return this.#inTurn(() => this.#declare(true))
  }

  /** Rejects if the database fails while stacks are declared; the other settings are in force then. */
  reload(read: () => Checked<Configuration | undefined>): Promise<Reloaded> {
    return this.#inTurn(async () => {
      const { value, problems } = read()
      if (value === undefined) return this.#refuse(firstProblems(errorsOf(problems)))
      const empty = problems.find(({ code }) => code === emptyFileCode)
      if (empty !== undefined && this.#isChangedBy(value)) return this.#refuse([emptyReload(empty)])
      await this.#accept(value)
      return { accepted: true, problems }
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }

  /** True if a reload changes settings that it takes. */
  #isChangedBy(read: Configuration): boolean {
    const taken = takenByReload(this.#inForce, read)
    return !isDeepStrictEqual({ ...taken, values: [] }, { ...this.#inForce, values: [] })
  }

  #refuse(problems: readonly Problem[]): Reloaded {
    this.#status = { ...this.#status, refused: { at: this.#deps.clock.now(), problems } }
    return { accepted: false, problems }
  }

  async #accept(read: Configuration): Promise<void> {
    const { prepare, replace, clock } = this.#deps
    await prepare()
    const before = this.#inForce
    this.#inForce = takenByReload(before, read)
    const accepted = { loadedAt: clock.now(), refused: null, needsRestart: restartKeys(before, read) }
    this.#status = { ...this.#status, ...accepted, values: read.values }
    replace(this.#inForce, before)
    await this.#declare(false)
  }

  async #declare(isStart: boolean): Promise<void> {
    const problems = await this.#deps.declare(this.#inForce, isStart)
    this.#status = { ...this.#status, refusedStacks: firstProblems(problems) }
  }
}

/** The keys that a reload takes. */
const reloadedKeys: readonly string[] = [
  'credentials',
  'connections',
  'keys',
  'webhooks',
  'receivers',
  'channels',
  'targets',
  'declaredTargets',
  'stacks',
  'fleets',
  'values',
] satisfies readonly (keyof Configuration)[]

/** Changed keys that take effect only at a start: `limits`, `allow.secrets`. */
export function restartKeys(inForce: Configuration, read: Configuration): readonly string[] {
  const keys = (Object.keys(read) as (keyof Configuration)[]).filter((key) => !reloadedKeys.includes(key))
  const parts = Object.keys(read.allow) as (keyof Configuration['allow'])[]
  return [
    ...keys.filter((key) => key !== 'allow' && !isDeepStrictEqual(inForce[key], read[key])),
    ...parts.filter((part) => !isDeepStrictEqual(inForce.allow[part], read.allow[part])).map((part) => `allow.${part}`),
  ]
}

/** The configuration after a reload. What needs a restart keeps its value. */
export function takenByReload(inForce: Configuration, read: Configuration): Configuration {
  const kept = Object.entries(inForce).filter(([key]) => !reloadedKeys.includes(key))
  return { ...read, ...Object.fromEntries(kept) }
}
