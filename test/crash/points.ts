// Points at which a process ends: before or after the n-th call of the journal's verbs and the drivers' writes.
import { callText, type Around, type Call } from './watched.js'

export interface Point {
  /** From 1. */
  readonly call: number
  readonly when: 'before' | 'after'
}

/** True for what counts: every verb of the journal, and of a driver all that is not `read`. */
export function counts(call: Call): boolean {
  return call.verb !== 'read'
}

/** Ends this process at the point, as a power cut would; `seen` gets every call that counts. */
export function endAt(point: Point | null, seen: string[]): Around {
  return async (call, make) => {
    if (!counts(call)) return make()
    const isHere = seen.push(callText(call)) === point?.call
    if (isHere && point.when === 'before') process.kill(process.pid, 'SIGKILL')
    try {
      return await make()
    } finally {
      if (isHere) process.kill(process.pid, 'SIGKILL')
    }
  }
}
