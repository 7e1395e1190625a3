// The cost of another process, from /proc/PID, proc(5).
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** False on systems without /proc: rows that need it are omitted there. */
export const canTell = process.platform === 'linux'

/** CPU so far, its own and the kernel's for it, in steps of 10 ms on most machines. */
export function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond()
}

let ticks
function ticksPerSecond() {
  ticks ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  return ticks
}

/** MiB: resident now, and the most it ever was. */
export function residentMiB(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const of = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024
  return { now: of('VmRSS'), most: of('VmHWM') }
}

/** The peak memory of a process and its children together, in MiB, measured every 5 ms until `ended`. */
export async function mostOfTree(pid, ended) {
  let most = 0
  const timer = setInterval(() => (most = Math.max(most, treeMiB(pid))), 5)
  await ended.finally(() => clearInterval(timer))
  return most
}

function treeMiB(root) {
  const pids = [root]
  for (const pid of pids) pids.push(...childrenOf(pid))
  return pids.reduce((sum, pid) => sum + nowOrGone(pid), 0)
}

function childrenOf(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`)
    return tasks.flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return [] // it ended meanwhile
  }
}

function nowOrGone(pid) {
  try {
    return residentMiB(pid).now
  } catch {
    return 0
  }
}
