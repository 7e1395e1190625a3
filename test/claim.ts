// Checks for loops of thousands of rounds, where `expect` costs more than most of what it checks.
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

/** Fails the test unless the claim holds. */
export function claim(holds: boolean, about: () => string): void {
  if (!holds) expect.fail(about())
}

/** `expect(actual).toEqual(expected)`, which is asked only if a stricter and cheaper comparison finds a difference. */
export function claimEqual(actual: unknown, expected: unknown, about: () => string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, about()).toEqual(expected)
}
