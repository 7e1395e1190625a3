/** What waits for signals: each signal has one listener, however much waits for it. */
const waiting = new WeakMap<AbortSignal, SignalWaiters>()

interface SignalWaiters {
  readonly works: Set<() => void>
  readonly listener: () => void
}

/**
 * Calls `work` when the signal aborts, unless the returned function is called before. The signal has not aborted yet.
 * Node compares a new listener with all others of its signal, so thousands of listeners would take seconds.
 */
export function onAbort(signal: AbortSignal, work: () => void): () => void {
  const waiters = waiting.get(signal) ?? listen(signal)
  const own = (): void => work() // the same function may wait twice
  waiters.works.add(own)
  return () => {
    if (!waiters.works.delete(own) || waiters.works.size > 0) return
    // A signal of several others stays in memory as long as it has a listener.
    signal.removeEventListener('abort', waiters.listener)
    waiting.delete(signal)
  }
}

function listen(signal: AbortSignal): SignalWaiters {
  const works = new Set<() => void>()
  const listener = (): void => {
    waiting.delete(signal)
    for (const work of works) work()
  }
  const waiters = { works, listener }
  signal.addEventListener('abort', listener, { once: true })
  waiting.set(signal, waiters)
  return waiters
}
