// The real platform, with a check before every write, and with failures on demand.
import { Rejected, Unavailable } from '../../src/model/errors.js'
import type { Json, JsonObject } from '../../src/model/json.js'
import type { Kind } from '../../src/model/resources/kind.js'
import type { Observed } from '../../src/model/resources/resource.js'
import type { Connection, Driver, Platform, Target } from '../../src/platform/platform.js'
import { overriding } from '../overriding.js'
import type { Dice } from './dice.js'
import type { Faults, Mode } from './faults.js'
import { Killed, turn, type Gate } from './gate.js'

export interface Write {
  readonly verb: 'create' | 'update' | 'remove'
  /** The stack whose target it goes through. */
  readonly stack: string
  /** Counts connections. */
  readonly connection: number
  readonly kind: Kind
  readonly now?: Observed
  readonly trace?: Json
  readonly state?: JsonObject
}

export interface Watch {
  /** Just before a write; resolves with what to call when it was done. */
  before(write: Write): Promise<() => void>
  disconnected(connection: number): void
}

export interface Surroundings {
  readonly gate: Gate
  readonly faults: Faults
  readonly dice: Dice
  readonly watch: Watch
  readonly kill: () => void
}

let connections = 0

/** Each stack has a target of its own name; all of them are one live system. */
export function watchedPlatform(platform: Platform, around: Surroundings): Platform {
  return overriding(platform, {
    connect: (target, signal) => around.gate.pass(() => connect(platform, target, signal, around)),
  })
}

async function connect(
  platform: Platform,
  target: Target,
  signal: AbortSignal,
  around: Surroundings,
): Promise<Connection> {
  refuse(around.faults.next('read'))
  const inner = await platform.connect(target, signal)
  const connection = ++connections
  const facts = { stack: target.name, connection }
  return {
    concurrency: inner.concurrency,
    driver: (kind) => watchedDriver(inner.driver(kind), { ...facts, kind }, around),
    list: (options, inside) => around.gate.pass(() => inner.list(options, inside)),
    async [Symbol.asyncDispose]() {
      around.watch.disconnected(connection)
      await inner[Symbol.asyncDispose]()
    },
  }
}

function watchedDriver(
  driver: Driver,
  facts: Pick<Write, 'stack' | 'connection' | 'kind'>,
  around: Surroundings,
): Driver {
  const { gate, faults } = around
  const look = <T>(call: () => Promise<T>): Promise<T> =>
    gate.pass(async () => {
      refuse(faults.next('read'))
      return call()
    })
  const write = <T>(one: Pick<Write, 'verb' | 'now' | 'trace' | 'state'>, call: () => Promise<T>): Promise<T> =>
    gate.pass(() => performWrite({ ...facts, ...one }, call, around))
  return {
    read: (desired, signal) => look(() => driver.read(desired, signal)),
    trace: (state) => driver.trace(state),
    find: (trace, signal) => look(() => driver.find(trace, signal)),
    create: (state, trace, signal) =>
      write({ verb: 'create', trace, state }, () => driver.create(state, trace, signal)),
    update: (now, state, signal) => write({ verb: 'update', now, state }, () => driver.update(now, state, signal)),
    remove: (now, signal) => write({ verb: 'remove', now }, () => driver.remove(now, signal)),
  }
}

async function performWrite<T>(
  write: Write,
  call: () => Promise<T>,
  { gate, faults, dice, watch, kill }: Surroundings,
): Promise<T> {
  for (let i = dice.below(3); i > 0; i--) await turn()
  if (gate.closed) throw new Killed('dead')
  const done = await watch.before(write)
  const mode = faults.next('write')
  if (mode === 'kill before') kill()
  refuse(mode)
  if (gate.closed) throw new Killed('dead')
  const answer = await call()
  done()
  if (mode === 'kill after') kill()
  if (mode === 'lost') throw new Unavailable('The answer was lost.', { code: 'platform/lost' })
  for (let i = dice.below(3); i > 0; i--) await turn()
  return answer
}

function refuse(mode: Mode | undefined): void {
  if (mode === 'unavailable') throw new Unavailable('The target is away.', { code: 'platform/away' })
  if (mode === 'rejected') throw new Rejected('The target will not.', { code: 'platform/will-not' })
}
