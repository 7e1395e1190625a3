import { expect, test } from 'vitest'
import { mismatch } from '../../src/engine/engine-problems.js'
import { EntryCalls } from '../../src/engine/entry-calls.js'
import type { JournalEntry } from '../../src/engine/journal.js'
import { at } from '../plan/scenario.js'

test('a write that the target changed names at most five fields', () => {
  const { message } = mismatch(at('Label/red'), ['a', 'b', 'c', 'd', 'e', 'f'])
  expect(message).toBe('The target accepted Label/red but returns different values: a, b, c, d, e.')
})

test('an entry of a kind that this version does not know is refused', () => {
  const calls = new EntryCalls({
    connection: undefined as never,
    calling: undefined as never,
    kindNamed: () => undefined,
  })
  const entry = { change: { address: at('Gauge/a'), kind: 'Gauge' } } as JournalEntry
  expect(() => calls.kind(entry)).toThrow(expect.objectContaining({ code: 'engine/unknown-kind' }) as Error)
})
