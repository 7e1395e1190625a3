// Splits long work into slices, so the event loop is never blocked for long: it goes round once after each slice. One
// slice runs per round for all callers together; callers that fit into its rest continue at once.
import { orAborted } from './or-aborted.js'
import { stepped, type Pending } from './pending.js'

/** Work that may pause after each step, or must until an answer is known. It knows neither clock nor loop. */
export type Steps<T> = Generator<Pending | void, T, void>

/** Length of a slice. A step in progress at its end is finished. */
const sliceMs = 10

let until = 0
const waiting: (() => void)[] = []
let isScheduled = false

/** Runs all steps at once, for callers that have nothing else to do. */
export function finish<T>(steps: Steps<T>): T {
  const next = (): IteratorResult<Pending | void, T> => steps.next()
  for (;;) {
    const step = stepped(next, false)
    if (step.done === true) return step.value
  }
}

/** Runs the steps in slices. Errors: those of a step; the signal's reason. */
export async function inSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  const next = (): IteratorResult<Pending | void, T> => steps.next()
  for (;;) {
    await nextSlice(signal)
    do {
      const step = stepped(next, true)
      if (step.done === true) return step.value
      if (step.value !== undefined) {
        await (signal === undefined ? step.value.ready : orAborted(step.value.ready, signal))
        break
      }
    } while (performance.now() < until)
  }
}

/** Slices for asynchronous work, which calls `afterStep` after each step. */
export class Slices {
  readonly #signal: AbortSignal | undefined

  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  /** undefined: continue at once. Errors: the signal's reason. */
  afterStep(): Promise<void> | undefined {
    return nextSlice(this.#signal)
  }
}

function nextSlice(signal: AbortSignal | undefined): Promise<void> | undefined {
  return performance.now() < until ? undefined : waitForSlice(signal)
}

async function waitForSlice(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    waiting.push(resolve)
    schedule()
  })
  signal?.throwIfAborted()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  setImmediate(() => {
    isScheduled = false
    until = performance.now() + sliceMs
    waiting.shift()?.()
    if (waiting.length > 0) schedule()
  })
}
