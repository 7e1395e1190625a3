import { Unavailable } from '../model/errors.js'

/** 5 s doubling to 10 min, ±10 % (design: Retry). `retries`: failures in a row, from 1. `random`: 0 to 1. */
export function backoffMs(retries: number, random: number): number {
  return jittered(Math.min(600_000, 5_000 * 2 ** Math.max(0, retries - 1)), random)
}

/** ±10 %. `random`: 0 to 1. */
export function jittered(ms: number, random: number): number {
  return Math.round(ms * (0.9 + 0.2 * random))
}

/** From one look to the next. After `failures` looks in a row that saw nothing: sooner than the interval at first, later if the remote says so. */
export function afterLookMs(intervalMs: number, failures: number, error: unknown): number {
  if (failures === 0) return intervalMs
  const asked = error instanceof Unavailable ? (error.retryAfterMs ?? 0) : 0
  return Math.max(asked, Math.min(intervalMs, backoffMs(failures, 0.5)))
}
