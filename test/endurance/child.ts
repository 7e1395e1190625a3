// The agent as it is shipped, but for its targets, which fail on demand, and for a line every five seconds
// about what the process holds.
import { appendFileSync } from 'node:fs'
import { adapters } from '../../src/adapters.js'
import { runAgent } from '../../src/run-agent.js'
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

const around = { faultsFile: order.faultsFile, ledger: order.ledger, dice: new Dice(order.seed) }
process.exitCode = await runAgent(
  { config: order.config, data: order.data, listen: '127.0.0.1:0' },
  {
    version: '0.0.0-endurance',
    adapters: {
      ...adapters,
      openPlatforms: (...args) => adapters.openPlatforms(...args).map((platform) => faultyPlatform(platform, around)),
    },
  },
)
