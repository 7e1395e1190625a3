// An agent that has nothing to do: 1,000 stacks on 50 repositories, looked at every 60 s, their target every 5 minutes.
import { setTimeout as sleep } from 'node:timers/promises'
import { startAgentProcess } from './agent.mjs'
import { makeFarm, stackCount } from './farm.mjs'
import { canTell, cpuMs, residentMiB } from './process-cost.mjs'
import { row } from './row.mjs'

/** One interval of looks at remotes: each is looked at once, and a fifth of the targets. */
const measuredMs = 66_000
/** After the start, with which this is not about. */
const settleMs = 10_000

export async function measure({ dist, directory, keep }) {
  if (!canTell) return []
  const { data } = await makeFarm({ dist, directory, keep })
  const agent = keep(await startAgentProcess({ dist, data }))
  const { items } = JSON.parse(await agent.type('stack', 'list', '--sync', 'Synced', '--json'))
  if (items.length !== stackCount) throw new Error(`${items.length} stacks are synced, not ${stackCount}.`)
  await sleep(settleMs)
  const [idle, bare] = await Promise.all([shareOf(agent.pid), shareOfBare(keep)])
  const { now, most } = residentMiB(agent.pid)
  return [
    row('idle, 1,000 stacks on 50 repositories: CPU of one core', idle, '%', {
      beside: { what: 'node that sleeps', figure: Math.max(bare.share, 0.01) },
      aim: { most: 1 },
    }),
    row('the same: resident memory', now, 'MiB', { beside: { what: 'node that sleeps', figure: bare.memory }, aim: { most: 170 } }),
    row('the same: the most it ever was', most, 'MiB'),
  ]
}

async function shareOf(pid) {
  const before = cpuMs(pid)
  const began = performance.now()
  await sleep(measuredMs)
  return ((cpuMs(pid) - before) / (performance.now() - began)) * 100
}

async function shareOfBare(keep) {
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
  keep({ close: () => void child.kill() })
  await sleep(1_000)
  return { share: await shareOf(child.pid), memory: residentMiB(child.pid).now }
}
