/** 5 s doubling to 10 min, ±10 %. `retries`: failures in a row, from 1. `random`: 0 to 1. */
export function backoffMs(retries: number, random: number): number {
  return jittered(Math.min(600_000, 5_000 * 2 ** Math.max(0, retries - 1)), random)
}

/** ±10 %. `random`: 0 to 1. */
export function jittered(ms: number, random: number): number {
  return Math.round(ms * (0.9 + 0.2 * random))
}
