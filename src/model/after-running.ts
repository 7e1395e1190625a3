const stepMs = 1_000
/** Later than this is a process that was stopped, or a machine that slept. */
const lateMs = 1_000

/**
 * Calls `act` when this process has run for `ms`; gives the way to call it off. Time in which it was stopped does not count:
 * an answer that came meanwhile is still to be read.
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
