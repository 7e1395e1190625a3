// What a person reads of a YAML text that cannot be parsed, from a package and from a configuration file.
import { describe, expect, test } from 'vitest'
import { readPackage } from '../../../src/package/package.js'
import { readYaml } from '../../../src/settings/schema/read-yaml.js'
import { file } from '../../graph/read-texts.js'

const openQuote = 'the quoted text that begins here is not closed'
const noComma = 'a comma is missing between two entries'
const indentation = 'this line is not indented like the entries around it'

/** The text; line and column; the reason; the start of the next step. */
const mistakes: Readonly<Record<string, readonly [text: string, at: string, reason: string, next: string]>> = {
  'a line between the entries of a list and the list': [
    'stacks:\n  - name: a\n    target: local\n   sources:\n      - url: x\n',
    '4:4',
    indentation,
    'Indent all entries',
  ],
  'a quote that the last line opens': [
    'a: v\nspec:\n  name: ops\n  text: "unterminated\n',
    '4:9',
    openQuote,
    'Add the missing "',
  ],
  'a quote at the end of the file': ['a: "x', '1:4', openQuote, 'Add the missing " at its end.'],
  'a quote before other keys': ["a:\n  b: 'x\n  c: d\nd: 1\n", '2:6', openQuote, "Add the missing ' at its end."],
  'a quote before another quoted text': ['a:\n  b: "x\n  c: "y"\n', '2:6', openQuote, 'Add the missing " at its end.'],
  'a quote behind quotes in a comment and a block': [
    'a: 1 # it\'s\nb: |\n  "x\nc: it\'s\nd: "y" # "\ne: "z\n',
    '6:4',
    openQuote,
    'Add the missing " at its end.',
  ],
  'an open list': ['a: [1, 2\nb: 3\n', '1:4', 'the bracket [ here is not closed', 'Add the missing ] at its end.'],
  'an open map': ['a: {b: 1\n', '1:4', 'the bracket { here is not closed', 'Add the missing } at its end.'],
  'no comma in a list': ['a: ["x" "y"]\n', '1:9', noComma, 'Put a comma between them.'],
  'no comma before a line in a list': ['a: ["x",\n "y"\n "z"]\nb: 1\n', '3:2', noComma, 'Put a comma between them.'],
  'an entry between two commas': ['a: [1,, 2]\n', '1:', 'an entry is missing before this comma', 'Remove the comma'],
  'a bracket that closes nothing': ['a:\n  - b\n]\nc: d\n', '3:1', 'the bracket ] here closes nothing', 'Remove it'],
  'a tab': ['a:\n\t- b', '2:', 'a tab is used as indentation', 'Indent with spaces.'],
  'a key that is indented less': ['a:\n   b: 1\n  c: 2\n', '3:3', indentation, 'Indent all entries'],
  'a key that is indented more': ['a:\n  b: 1\n    c: 2\n', '3:5', indentation, 'Indent all entries'],
  'a colon in a value before other keys': [
    'a:\n  b: c: d\n  e: f\n',
    '2:',
    'the value contains a colon and a space',
    'Put the value in quotes',
  ],
  'a colon in a value': ['a: b: c\n', '1:', 'the value contains a colon and a space', 'Put the value in quotes'],
  'text behind a quote': ['a: "b" c\n', '1:8', 'there is text after the closing quote', 'Put the whole value'],
  'a line without a colon': [
    'a: 1\nfoo\nb: 2\n',
    '',
    'this line, or the line before it, has no colon after its key',
    'Write `key: value`.',
  ],
  'a reserved character': ['a: @x', '1:4', 'a value cannot begin with @', 'Put the value in quotes.'],
  'an escape': ['a: "\\q"', '1:', 'the text in double quotes has an invalid escape', 'Write a backslash'],
}

describe.each(Object.entries(mistakes))('%s', (_, [text, at, reason, next]) => {
  test('is explained in a package', () => {
    const [problem] = readPackage([file('a.yml', text)]).problems
    expect(problem!.message).toContain(`a.yml:${at}`)
    expect(problem!.message).toContain(` cannot be read: ${reason}.`)
    expect(problem!.hint).toContain(next)
    expect(problem!.place!.line).toBeLessThanOrEqual(text.trimEnd().split('\n').length)
  })

  test('is explained in a configuration file', () => {
    const { problems } = readYaml('a.yml', text, 'config')
    const [problem] = problems
    const [line, column] = at.split(':')
    expect(problem!.message.toLowerCase()).toContain(`${reason.toLowerCase()} (column ${column ?? ''}`)
    expect(problem!.hint).toContain(next)
    if (line !== '') expect(problem!.place!.line).toBe(Number(line))
    expect(problem!.place!.line).toBeLessThanOrEqual(text.trimEnd().split('\n').length)
    expect(new Set(problems.map(({ place }) => place?.line)).size).toBe(problems.length)
  })
})
