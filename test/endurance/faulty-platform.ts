// The embedded platform as a target that is slow, away, refusing or silent, as a file says; every write is put down in
// the ledger.
import { readFileSync } from 'node:fs'
import { Rejected, Unavailable } from '../../src/model/errors.js'
import type { JsonObject } from '../../src/model/json.js'
import type { Connection, Driver, Platform, Target } from '../../src/platform/platform.js'
import { overriding } from '../overriding.js'
import type { Dice } from '../random/dice.js'
import { appendWrite, type Write } from './ledger.js'

/**
 * By name of target, or '*': chances out of a hundred. `lost`: done, but not answered; `hang`: no answer until it is
 * given up.
 */
export type TargetFaults = Readonly<
  Record<string, Partial<Record<'slow' | 'unavailable' | 'rejected' | 'lost' | 'hang', number>>>
>

interface Surroundings {
  readonly faultsFile: string
  readonly ledger: string
  readonly dice: Dice
}

export function faultyPlatform(platform: Platform, around: Surroundings): Platform {
  const faults = new FaultsFile(around.faultsFile)
  let connections = 0
  return overriding(platform, {
    async connect(target: Target, signal: AbortSignal): Promise<Connection> {
      const inner = await platform.connect(target, signal)
      const connection = `${process.pid}.${++connections}`
      return {
        concurrency: inner.concurrency,
        driver: (kind) =>
          new FaultyDriver(
            inner.driver(kind),
            { target: target.name, connection, family: kind.family },
            faults,
            around,
          ),
        list: (options, inside) => inner.list(options, inside),
        [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
      }
    },
  })
}

/** Read again at most five times a second. */
class FaultsFile {
  readonly #file: string
  #faults: TargetFaults = {}
  #readAt = 0

  constructor(file: string) {
    this.#file = file
  }

  of(target: string): TargetFaults[string] {
    if (Date.now() > this.#readAt + 200) {
      this.#readAt = Date.now()
      this.#faults = JSON.parse(readFileSync(this.#file, 'utf8')) as TargetFaults
    }
    return this.#faults[target] ?? this.#faults['*'] ?? {}
  }
}

class FaultyDriver implements Driver {
  readonly #inner: Driver
  readonly #facts: Pick<Write, 'target' | 'connection' | 'family'>
  readonly #faults: FaultsFile
  readonly #around: Surroundings

  constructor(
    inner: Driver,
    facts: Pick<Write, 'target' | 'connection' | 'family'>,
    faults: FaultsFile,
    around: Surroundings,
  ) {
    this.#inner = inner
    this.#facts = facts
    this.#faults = faults
    this.#around = around
  }

  trace(state: JsonObject): ReturnType<Driver['trace']> {
    return this.#inner.trace(state)
  }

  read(...[desired, signal]: Parameters<Driver['read']>): ReturnType<Driver['read']> {
    return this.#look(signal, () => this.#inner.read(desired, signal))
  }

  find(...[trace, signal]: Parameters<Driver['find']>): ReturnType<Driver['find']> {
    return this.#look(signal, () => this.#inner.find(trace, signal))
  }

  create(...[state, trace, signal]: Parameters<Driver['create']>): ReturnType<Driver['create']> {
    return this.#write('create', state, signal, () => this.#inner.create(state, trace, signal))
  }

  update(...[now, state, signal]: Parameters<Driver['update']>): ReturnType<Driver['update']> {
    return this.#write('update', state, signal, () => this.#inner.update(now, state, signal))
  }

  remove(...[now, signal]: Parameters<Driver['remove']>): ReturnType<Driver['remove']> {
    return this.#write('remove', now.actual, signal, () => this.#inner.remove(now, signal))
  }

  async #look<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    const { slow = 0, unavailable = 0, hang = 0 } = this.#faults.of(this.#facts.target)
    const { dice } = this.#around
    if (dice.chance(slow)) await pause(dice.below(400), signal)
    if (dice.chance(hang)) await pause(3_600_000, signal)
    if (dice.chance(unavailable)) throw away()
    return call()
  }

  async #write<T>(verb: Write['verb'], state: JsonObject, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    const { rejected = 0, lost = 0, ...before } = this.#faults.of(this.#facts.target)
    const { dice, ledger } = this.#around
    const name = typeof state['name'] === 'string' ? state['name'] : ''
    const from = Date.now()
    const put = (done: boolean): void => appendWrite(ledger, { ...this.#facts, from, to: Date.now(), verb, name, done })
    if (dice.chance(before.slow ?? 0)) await pause(dice.below(400), signal)
    if (dice.chance(before.unavailable ?? 0)) throw away()
    if (dice.chance(rejected)) throw new Rejected('The target will not.', { code: 'platform/will-not' })
    const answer = await call()
    put(true)
    if (dice.chance(lost)) throw new Unavailable('The answer was lost.', { code: 'platform/lost' })
    if (dice.chance(before.hang ?? 0)) await pause(3_600_000, signal)
    return answer
  }
}

function away(): Unavailable {
  return new Unavailable('The target is away.', { code: 'platform/away' })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(new Unavailable('The target gave no answer.', { code: 'platform/silent', cause: signal.reason }))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
