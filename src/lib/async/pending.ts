// Requests of pure code to another thread. Pure code cannot wait, so it is interrupted, and repeated with the answer.

/** Thrown instead of an answer that is not known yet, only where `mayPend`. */
export class Pending {
  /** Settled when the answer is known; never rejected. */
  readonly ready: Promise<void>

  constructor(ready: Promise<void>) {
    this.ready = ready
  }
}

/** Work is repeated at most so often; after that it blocks for its answers. */
const mostTries = 1_000

let isAwaited = false
let isInterruptible = false

/** True inside `whenReady`, whose caller awaits its steps. Elsewhere a request blocks. */
export function mayPend(): boolean {
  return isAwaited && isInterruptible
}

/** Runs a step whose caller awaits what it yields, or does not. */
export function stepped<T>(step: () => T, awaited: boolean): T {
  const before = isAwaited
  isAwaited = awaited
  try {
    return step()
  } finally {
    isAwaited = before
  }
}

/** The result of the work; yields requests to wait for, and repeats it. Repeated work must change nothing. */
export function* whenReady<T>(work: () => T): Generator<Pending, T, void> {
  for (let tries = 0; ; tries++) {
    const done = attempt(work, tries < mostTries)
    if (!(done instanceof Pending)) return done.value
    yield done
  }
}

/** The same for work in steps: all of it is repeated after a request. */
export function* whenStepsReady<T>(work: () => Generator<void, T, void>): Generator<Pending | void, T, void> {
  for (let tries = 0, steps = work(); ;) {
    const step = attempt(() => steps.next(), tries < mostTries)
    if (step instanceof Pending) {
      yield step
      steps = work()
      tries++
    } else if (step.value.done === true) return step.value.value
    else yield
  }
}

/** Takes all steps at once, inside a step of another work. */
export function withinStep<T>(steps: Generator<void, T, void>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
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
