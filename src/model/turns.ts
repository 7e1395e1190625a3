// Long work in slices, so that the event loop is never held for long: after each slice the loop goes round once. Whatever the number of
// callers, one slice is worked on in each round; those that fit into what is left of it go on at once.
import { orAborted } from './or-aborted.js'
import { stepped, type Pending } from './pending.js'

/** Work that can pause after each step, or has to until something is known. It knows neither clock nor loop. */
export type Steps<T> = Generator<Pending | void, T, void>

/** Of a slice. A step that is under way when it ends is finished. */
const sliceMs = 10

let until = 0
const waiting: (() => void)[] = []
let isScheduled = false

/** All steps at once, for callers that have nothing else to do meanwhile. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = stepped(() => steps.next(), false)
    if (step.done === true) return step.value
  }
}

/** The steps, slice by slice. Errors: those of a step; the signal's reason. */
export async function inTurns<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    await nextTurn(signal)
    do {
      const step = stepped(() => steps.next(), true)
      if (step.done === true) return step.value
      if (step.value !== undefined) {
        await (signal === undefined ? step.value.ready : orAborted(step.value.ready, signal))
        break
      }
    } while (performance.now() < until)
  }
}

/** The same for asynchronous work: it says after each step that the step is done. */
export class Turns {
  readonly #signal: AbortSignal | undefined

  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  /** undefined: go on at once. Errors: the signal's reason. */
  took(): Promise<void> | undefined {
    return nextTurn(this.#signal)
  }
}

function nextTurn(signal: AbortSignal | undefined): Promise<void> | undefined {
  return performance.now() < until ? undefined : waitForTurn(signal)
}

async function waitForTurn(signal: AbortSignal | undefined): Promise<void> {
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
