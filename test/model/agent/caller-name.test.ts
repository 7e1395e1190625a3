import { describe, expect, test } from 'vitest'
import { callerPattern, decodeCaller, encodeCaller } from '../../../src/model/agent/caller-name.js'

const letters = String.fromCodePoint
/** Of characters that people could not see in a text, each named by its code point. */
const hidden = [0x00, 0x1b, 0x7f, 0x9b, 0xad, 0x61c, 0x115f, 0x200b, 0x200e, 0x202e, 0x2066, 0x3164, 0xfe0f, 0xfeff]

describe('the name of a caller', () => {
  test.each([
    'ann',
    'Bob M\u00fcller',
    '\u5c71\u7530',
    '\u0627\u062d\u0645\u062f',
    '\u0905\u0928\u093f\u0932',
    'ACME\\bea',
  ])('%s is allowed, and a header carries it', (name) => {
    expect(name).toMatch(callerPattern)
    expect(encodeCaller(name)).toMatch(/^[ -~]+$/)
    expect(decodeCaller(encodeCaller(name))).toBe(name)
  })

  test.each(hidden)('has no invisible or controlling character: U+%i', (point) => {
    for (const name of [`a${letters(point)}b`, letters(point), `a${letters(point)}`]) {
      expect(name).not.toMatch(callerPattern)
      expect(decodeCaller(encodeURIComponent(name))).toBeUndefined()
    }
  })

  test('has at most 100 characters, and begins with a letter or a digit', () => {
    expect('\u{20000}'.repeat(100)).toMatch(callerPattern)
    for (const name of ['x'.repeat(101), '', ' ', '-rf', '\u0301a', '\ud800']) expect(name).not.toMatch(callerPattern)
  })

  test('in ASCII is the same in a header as in older versions', () => {
    expect(encodeCaller('a.b_c@d+e-f \\g')).toBe('a.b_c@d+e-f \\g')
  })
})
