// The agent as it is shipped, but for its targets, which fail as they are told to, and for a line every five seconds about what the process holds.
import { appendFileSync } from 'node:fs'
import { GitSource } from '../../src/source/git-source.js'
import { EmbeddedPlatform } from '../../src/platform/embedded/embedded-platform.js'
import { runAgent } from '../../src/run-agent.js'
import { lockDirectory } from '../../src/store/sqlite/sqlite-file.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { Dice } from '../random/dice.js'
import { faultyPlatform } from './faulty-platform.js'

export interface ChildOrder {
  readonly config: string
  readonly data: string
  readonly faultsFile: string
  readonly ledger: string
  readonly statistics: string
  readonly seed: number
}

/** What a process holds. `resources`: how many of each sort keep it alive. */
export interface Statistics {
  readonly at: number
  readonly pid: number
  readonly rss: number
  readonly heap: number
  readonly resources: Readonly<Record<string, number>>
}

const order = JSON.parse(process.argv[2]!) as ChildOrder

setInterval(() => {
  const resources: Record<string, number> = {}
  for (const one of process.getActiveResourcesInfo()) resources[one] = (resources[one] ?? 0) + 1
  const { rss, heapUsed } = process.memoryUsage()
  const line: Statistics = { at: Date.now(), pid: process.pid, rss, heap: heapUsed, resources }
  appendFileSync(order.statistics, `${JSON.stringify(line)}\n`)
}, 5_000).unref()

process.exitCode = await runAgent(
  { config: order.config, data: order.data, listen: '127.0.0.1:0' },
  {
    version: '0.0.0-endurance',
    lock: lockDirectory,
    openStore: (file, clock) => new SqliteStore(file, clock),
    openSource: (options) => new GitSource(options),
    openPlatforms: (documents, known) => [
      faultyPlatform(new EmbeddedPlatform(documents, known), {
        faultsFile: order.faultsFile,
        ledger: order.ledger,
        dice: new Dice(order.seed),
      }),
    ],
  },
)
