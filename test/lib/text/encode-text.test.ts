import { expect, test } from 'vitest'
import { encodeText } from '../../../src/lib/text/encode-text.js'

/** The bytes, and how many steps they took. */
function counted(text: string): { readonly bytes: Buffer; readonly count: number } {
  const steps = encodeText(text)
  for (let count = 0; ; count++) {
    const step = steps.next()
    if (step.done === true) return { bytes: step.value, count }
  }
}

test.each([
  ['is empty', ''],
  ['is short', 'é'],
  ['has a character of two halves at each end of a piece', `x${'\u{1f600}'.repeat(2 ** 19)}`],
  ['ends with half of a character', `${'x'.repeat(2 ** 18 - 1)}\ud83d`],
  ['has halves of characters only', '\ud83d'.repeat(2 ** 19)],
])('encodes a text that %s', (_, text) => {
  expect(counted(text).bytes.equals(Buffer.from(text))).toBe(true)
})

test('encodes a long text in many steps', () => {
  expect(counted('x'.repeat(2 ** 22)).count).toBeGreaterThanOrEqual(16)
})
