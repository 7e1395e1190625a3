import { readFileSync } from 'node:fs'

/**
 * True if a process has this id, and has not ended: one that was killed stays in the list until its parent reads its
 * end. `since`: milliseconds since the epoch, when the process was seen; one that began later is another one. Absent:
 * it may be another one. Only Linux says more than that there is a process.
 */
export function isRunning(pid: number, since = Number.POSITIVE_INFINITY): boolean {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const facts = processFacts(pid)
  return facts === undefined || (!'ZX'.includes(facts.state) && facts.beganAt <= since + toleranceMs)
}

/** Of clocks: that of the kernel counts whole seconds. */
const toleranceMs = 10_000

const ticksPerSecond = 100

/** See proc_pid_stat(5): after the name in brackets come the state and, 19 fields later, the start since the boot. */
function processFacts(pid: number): { readonly state: string; readonly beganAt: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const boot = /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]
    const [state = '', ticks = ''] = [fields[0], fields[19]]
    const beganAt = Number(boot) * 1000 + (Number(ticks) / ticksPerSecond) * 1000
    return state === '' || !Number.isFinite(beganAt) ? undefined : { state, beganAt }
  } catch {
    return undefined
  }
}
