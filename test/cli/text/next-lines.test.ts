import { describe, expect, test } from 'vitest'
import { hintLines, nextLines, wrappedLines } from '../../../src/cli/text/next-lines.js'
import { command, edit } from '../../../src/model/stacks/blocker.js'

const words = 'Remove the resource from one of the two packages, or give it another name'

describe('the next step', () => {
  test('wraps at the width of a terminal, indented as its text', () => {
    expect(nextLines([edit(words)], 60)).toEqual([
      '  next: Remove the resource from one of the two packages, or',
      '        give it another name',
    ])
  })

  test('stays on one line in a pipe', () => {
    expect(nextLines([edit(words)])).toEqual([`  next: ${words}`])
  })

  test('of an error names options, not the fields of the API', () => {
    expect(hintLines('Pass --why "REASON" (API: `overrideWindow`, `why`).')).toEqual(['  next: Pass --why "REASON".'])
  })

  test('never breaks a command', () => {
    const cli = 'gitmoor sync boards --override-window --why "the audit is over"'
    expect(nextLines([command('Override it', 'sync', {}, cli)], 60)).toEqual(['  next: Override it:', `        ${cli}`])
    expect(wrappedLines('  next: ', cli, 60)).toEqual([`  next: ${cli}`])
  })
})
