import { expect, test } from 'vitest'
import { printable, quoted } from '../../../src/lib/text/printable.js'

test.each([
  ['plain text with ümläuts and \u{1f600}', 'plain text with ümläuts and \u{1f600}'],
  ['a\u001b[31mb', 'a\\u001b[31mb'],
  ['two\nlines\r\t', 'two\\u000alines\\u000d\\u0009'],
  ['\u202eabc\u2066\u200f\u061c', '\\u202eabc\\u2066\\u200f\\u061c'],
  ['\u0085\u2028\ufeff', '\\u0085\\u2028\\ufeff'],
  ['\ud800x', '\\ud800x'],
  ['\u{e0041}', '\\u{e0041}'],
])('%j is printed as %j', (text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('quotes a value in a message, and shortens a long one', () => {
  expect(quoted('raw\n')).toBe('"raw\\u000a"')
  expect(quoted('\u{1f600}'.repeat(81))).toBe(`"${'\u{1f600}'.repeat(80)}…"`)
  expect(quoted('x'.repeat(1_000_000), 3)).toBe('"xxx…"')
})
