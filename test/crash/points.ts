// Points at which a process ends: before or after the n-th call that changes something. See `counts`.
import { callText, type Around, type Call } from './watched.js'

export interface Point {
  /** From 1. */
  readonly call: number
  readonly when: 'before' | 'after'
}

/**
 * True for the writes of the journal, the plan of the run, and the writes and searches of drivers. Not for reads, which
 * the scheduler makes at any time, too.
 */
export function counts({ verb }: Call): boolean {
  return verb !== 'read' && verb !== 'open'
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

/** Keeps a run from its first write until so many runs have planned. */
export function planTogether(runs: number): Around {
  let planned = 0
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return async (call, make) => {
    const made = await make()
    if (call.verb !== 'plan') return made
    if (++planned === runs) open()
    await opened
    return made
  }
}

/** Calls `reached` at each of these points, at the instant at which `endAt` ends the process. */
export function stopAt(points: readonly Point[], reached: (point: Point) => void): Around {
  let calls = 0
  return async (call, make) => {
    if (!counts(call)) return make()
    const here = points.filter((point) => point.call === calls + 1)
    calls++
    const stop = (when: Point['when']): void => here.filter((point) => point.when === when).forEach(reached)
    stop('before')
    try {
      return await make()
    } finally {
      stop('after')
    }
  }
}
