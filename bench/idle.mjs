// An agent that has nothing to do: its stacks are polled every minute and checked for drift every five minutes.
import { setTimeout as sleep } from 'node:timers/promises'
import { startAgentProcess } from './agent.mjs'
import { makeFarm } from './farm.mjs'
import { canTell, cpuMs, residentMiB } from './process-cost.mjs'
import { row } from './row.mjs'

/**
 * `settleMs`: after the start. The first drift check of a stack reads its package; the steady state begins when every
 * stack had its first. `measuredMs`: a little more than one polling interval, in which a fifth of the stacks is checked
 * for drift.
 */
export const scales = {
  full: {
    repositories: 50,
    each: 20,
    intervalMs: 60_000,
    driftIntervalMs: 300_000,
    settleMs: 320_000,
    measuredMs: 66_000,
  },
  small: { repositories: 2, each: 2, intervalMs: 5_000, driftIntervalMs: 5_000, settleMs: 0, measuredMs: 300 },
}

export async function measure({ dist, directory, keep, scale }) {
  if (!canTell) return []
  const { settleMs, measuredMs } = scale
  const { data, stackCount } = await makeFarm({ dist, directory, keep, ...scale })
  const agent = keep(await startAgentProcess({ dist, data }))
  const { items } = JSON.parse(await agent.type('stack', 'list', '--sync', 'Synced', '--json'))
  if (items.length !== stackCount) throw new Error(`${items.length} stacks are synced, not ${stackCount}.`)
  await sleep(settleMs)
  const [idle, bare] = await Promise.all([shareOf(agent.pid, measuredMs), shareOfBare(keep, measuredMs)])
  const { now, most } = residentMiB(agent.pid)
  return [
    row(
      `idle, ${stackCount.toLocaleString('en')} stacks on ${scale.repositories} repositories: CPU of one core`,
      idle,
      '%',
      {
        beside: { what: 'node that sleeps', figure: Math.max(bare.share, 0.01) },
        aim: { most: 1 },
      },
    ),
    row('the same: resident memory', now, 'MiB', {
      beside: { what: 'node that sleeps', figure: bare.memory },
      aim: { most: 170 },
    }),
    row('the same: the most it ever was', most, 'MiB'),
  ]
}

async function shareOf(pid, measuredMs) {
  const before = cpuMs(pid)
  const began = performance.now()
  await sleep(measuredMs)
  return ((cpuMs(pid) - before) / (performance.now() - began)) * 100
}

async function shareOfBare(keep, measuredMs) {
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
  keep({ close: () => void child.kill() })
  await sleep(Math.min(1_000, measuredMs)) // its start is not counted
  return { share: await shareOf(child.pid, measuredMs), memory: residentMiB(child.pid).now }
}
