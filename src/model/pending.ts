// What pure code asks of another thread. It cannot wait, so it is interrupted, and asked again when the answer is there.

/** Thrown by who does not know an answer yet, only where `mayPend`. */
export class Pending {
  /** Settled when the answer is known; never rejected. */
  readonly ready: Promise<void>

  constructor(ready: Promise<void>) {
    this.ready = ready
  }
}

/** A work is asked no more often than this before it has to stand still for its answers. */
const mostTries = 1_000

let isAwaited = false
let isInterruptible = false

/** True inside `whenReady`, where somebody awaits its steps. Elsewhere whoever asks stands still. */
export function mayPend(): boolean {
  return isAwaited && isInterruptible
}

/** What a step gives that is taken by who awaits what it yields, or by who does not. */
export function stepped<T>(step: () => T, awaited: boolean): T {
  const before = isAwaited
  isAwaited = awaited
  try {
    return step()
  } finally {
    isAwaited = before
  }
}

/** What the work gives; yields what it has to wait for, and does it again. It must change nothing before it has all answers. */
export function* whenReady<T>(work: () => T): Generator<Pending, T, void> {
  for (let tries = 0; ; tries++) {
    const done = attempt(work, tries < mostTries)
    if (!(done instanceof Pending)) return done.value
    yield done
  }
}

function attempt<T>(work: () => T, interruptible: boolean): { readonly value: T } | Pending {
  isInterruptible = interruptible
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof Pending) return error
    throw error
  } finally {
    isInterruptible = false
  }
}
