import { vi } from 'vitest'

/** Until the end of the test, what waits `ms` of real time waits 20 ms: tests move no real clock. */
export function shortenWait(ms: number): void {
  const real = globalThis.setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((act, given) => real(act, given === ms ? 20 : given))
}
