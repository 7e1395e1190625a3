// Stacks on the platform of lamps: planned and applied by the engine over a real store.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Engine } from '../../src/engine/engine.js'
import { buildGraph } from '../../src/graph/graph.js'
import type { JsonObject } from '../../src/model/json.js'
import { readPackage } from '../../src/package/package.js'
import type { Connection, Driver } from '../../src/platform/platform.js'
import { Keyring } from '../../src/secrets/keyring.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { planStack } from '../../src/stacks/plans/plan-stack.js'
import { kindsByName } from '../../src/stacks/targets.js'
import type { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { file } from '../graph/read-texts.js'
import { Lamps } from '../lamps.js'
import { ManualClock } from '../manual-clock.js'
import { openNewStore } from '../new-data-directory.js'

const never = new AbortController().signal
const sources = [{ kind: 'git', url: 'file:///nowhere', ref: 'main', path: '' }] as const

/** One stack, on the bridge `hall`. */
export class LampsWorld implements Disposable {
  readonly lamps = new Lamps()
  readonly store: SqliteStore
  /** Changes what a driver does. */
  around: (driver: Driver, family: string) => Driver = (driver) => driver
  readonly #directory = mkdtempSync(join(tmpdir(), 'gitmoor-lamps-'))
  #stack: string | undefined

  constructor() {
    this.store = openNewStore(join(this.#directory, 'gitmoor.db'), new ManualClock())
  }

  [Symbol.dispose](): void {
    this.store[Symbol.dispose]()
    rmSync(this.#directory, { recursive: true, force: true })
  }

  /** Its id. */
  async stack(): Promise<string> {
    const made = { managedBy: 'api', target: 'lamps/hall', cause: { kind: 'created' } } as const
    this.#stack ??= (await this.store.stacks.create({ ...stackDefaults, name: 'lights', sources }, made)).stack.id
    return this.#stack
  }

  /** Plans and applies by a new run and a new engine, as after a start: the changes of the plan, and the outcome. */
  async sync(...documents: readonly string[]): Promise<readonly string[]> {
    const { lamps, store } = this
    const stack = await this.stack()
    const { value: read } = readPackage([file('a.yml', documents.join('---\n'))])
    const { value: graph, problems } = buildGraph(read, (kind, version) => lamps.kind(kind, version))
    expect(problems).toEqual([])
    const run = await store.runs.add({ stack, revision: 'main', cause: { kind: 'commit' } })
    const { lease } = await store.runs.takeLease(run)
    const plain = await lamps.connect({ settings: { bridge: 'hall' } })
    const connection: Connection = { ...plain, driver: (kind) => this.around(plain.driver(kind), kind.family) }
    const calling = { caller: { run: run.id }, limitMs: 30_000, onCall: () => {} }
    const acting = { lease, connection, calling, kindNamed: kindsByName(lamps) }
    const engine = new Engine({ journal: store.journal, sealer: new Keyring(Buffer.alloc(32, 7)) })
    const open = await engine.recover(acting, never)
    const deps = { store, platform: lamps, connection, calling, system: 'lamps/hall' }
    const planned = await planStack((await store.stacks.get(stack))!, { ...graph, revision: 'main' }, deps, never)
    await engine.confirm(acting, open, planned)
    const applied = { revision: 'main', content: '', files: '', place: '' }
    const change = { ...acting, ...planned, byAddress: graph.byAddress, onFailure: 'undo', problems, applied } as const
    const outcome = await engine.apply(change, never)
    const lines = planned.plan.changes.map(({ address, action, reason, fields }) => {
      const shown = fields.map(({ path, new: value }) => `${path} = ${JSON.stringify(value)}`)
      return `${address} ${action} ${reason}: ${shown.join(', ')}`
    })
    return [...lines, outcome]
  }

  /** The state of each device, with its id, by `Lamp/door`. */
  devices(): Readonly<Record<string, JsonObject & { readonly id: string }>> {
    const all = [...this.lamps.bridge('hall').values()]
    return Object.fromEntries(
      all.map(({ family, id, state }) => [`${family}/${state['name'] as string}`, { ...state, id }]),
    )
  }
}
