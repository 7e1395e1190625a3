const stepMs = 1_000
/** A timer that is later than this belongs to a process that was stopped, or to a machine that slept. */
const lateMs = 1_000

/**
 * Calls `act` after this process has run for `ms`; returns a function that cancels it. Time in which the process was
 * stopped does not count, so answers that arrived meanwhile can still be read.
 */
export function afterRunning(ms: number, act: () => void): () => void {
  let left = ms
  let timer: NodeJS.Timeout
  const wait = (): void => {
    const step = Math.min(left, stepMs)
    const began = performance.now()
    timer = setTimeout(() => {
      if (performance.now() - began < step + lateMs) left -= step
      if (left > 0) wait()
      else act()
    }, step)
  }
  wait()
  return () => clearTimeout(timer)
}
