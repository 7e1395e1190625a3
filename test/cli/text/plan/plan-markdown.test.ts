// A plan for a pull request: hostile text stays text, and GitHub accepts the size.
import { describe, expect, test } from 'vitest'
import { CliError } from '../../../../src/cli/errors/cli-error.js'
import { mostMarkdownCharacters, planMarkdown } from '../../../../src/cli/text/plan/plan-markdown.js'
import type { PlanResult } from '../../../../src/cli/text/several-stacks-text.js'
import type { Address } from '../../../../src/model/address.js'
import type { Change } from '../../../../src/model/resources/change.js'
import { samplePlan } from '../../../api/sample-views.js'

const text = (...results: readonly PlanResult[]): string => planMarkdown(results).join('\n')
const planned = (name: string, changed: Partial<typeof samplePlan> = {}): PlanResult => ({
  name,
  value: { ...samplePlan, stackName: name, ...changed },
})

function failed(name: string, message: string): PlanResult {
  return { name, error: new CliError(1, message, { code: 'x/y' }) }
}

function created(name: string, value: string): Change {
  return {
    address: `Task/${name}` as Address,
    kind: 'Task',
    action: 'create',
    fields: [{ path: 'query', new: value }],
    displayName: name,
    reason: 'added',
    needs: [],
    after: [],
  }
}

const closed = { reason: 'Window', message: 'A sync window denies writes.', since: null, until: null, next: [] }

test('has a table of changes, and the changes of each stack to unfold', () => {
  const document = text(
    planned('boards', { blockers: [closed] }),
    planned('quiet', { changes: [] }),
    failed('lab', 'no'),
  )
  expect(document).toContain(
    [
      '<!-- gitmoor plan -->',
      '### gitmoor plan',
      '',
      '3 stacks: 1 with changes, 1 unchanged, 1 failed.',
      '',
      '| Stack | Changes | Approval | Blocked | Digest |',
      '|---|---|---|---|---|',
      '| <code>boards</code> | <code>+1 &#126;1 -1</code> | needed: <code>data-loss</code> | <code>Window</code> | <code>3fa9c0d1e2b4</code> |',
      '| <code>lab</code> | failed |  |  |  |',
      '',
      '<details><summary><code>boards</code>: 1 to create, 1 to update, 1 to remove, 4 unchanged</summary>',
      '',
      '```diff',
      'boards at stable@2f1c9ab on target local',
    ].join('\n'),
  )
  expect(document).toMatch(/^\+ {2}Bucket\/raw/m)
  expect(document).toContain('blocked: A sync window denies writes.')
  expect(document).toContain('warning: The field colour is not known.')
  expect(document).toMatch(
    /<details><summary><code>lab<\/code>: failed<\/summary>\n\n```diff\nerror: no\n```\n\n<\/details>$/,
  )
  expect(document).not.toContain('quiet')
  expect(document).not.toContain('Shortened')
})

test('without changes has no table', () => {
  expect(text(planned('quiet', { changes: [] }))).toBe(
    '<!-- gitmoor plan -->\n### gitmoor plan\n\n1 stack: 1 unchanged.',
  )
})

describe('hostile text', () => {
  const hostile = [
    '```\n</details>\n# injected',
    '````````\n@octocat <img src=x onerror=alert(1)>',
    '| a | b |\n|---|---|',
    '<!-- --> [x](javascript:alert(1)) https://evil.example @team #1',
    '~~~\n    indented',
    '\u202e\u0000\r\n```',
  ]

  test.each(hostile)('%j in a value, a name and a message ends no fence', (value) => {
    const problem = { severity: 'warning' as const, code: 'x/y', message: value }
    const document = text(planned('boards', { changes: [created(value, value)], problems: [problem] }))
    const fence = /^(`{3,})diff$/m.exec(document)![1]!
    const [before, inside, after] = document.split(new RegExp(`^${fence}(?:diff)?$`, 'm'))
    expect(after).toBe('\n\n</details>')
    expect(inside).not.toContain(fence)
    expect(`${before}${after}`).not.toMatch(/injected|octocat|img|evil|team|javascript/)
  })

  test('in a name of a stack or an error is escaped in cells, and no link or mention', () => {
    const document = text(failed('@a|b`</code>_x_ www.evil.example', '```\n| @octocat'))
    const row = document.split('\n').find((line) => line.endsWith('| failed |  |  |  |'))
    expect(row).toBe(
      '| <code>&#64;a&#124;b&#96;&#60;&#47;code&#62;&#95;x&#95; www&#46;evil&#46;example</code> | failed |  |  |  |',
    )
    expect(document).toContain('\n````diff\nerror: ```\\u000a| @octocat\n````\n')
  })
})

describe('a document that GitHub would refuse', () => {
  const big = (name: string, lines: number): PlanResult =>
    planned(name, { changes: Array.from({ length: lines }, (_, at) => created(`t${at}`, 'x'.repeat(60))) })

  test('is shortened with a note; short plans stay whole', () => {
    const document = text(planned('boards'), big('huge', 5_000), big('large', 2_000))
    expect(document.length).toBeLessThanOrEqual(mostMarkdownCharacters)
    expect(document.length).toBeGreaterThan(mostMarkdownCharacters * 0.9)
    expect(document).toContain('boards at stable@2f1c9ab')
    expect(document.match(/^… and \d+ more lines$/gm)).toHaveLength(2)
    expect(document.match(/^<\/details>$/gm)).toHaveLength(3)
    expect(document).toContain('_Shortened: GitHub accepts 65,536 characters.')
  })

  test.each([200, 3_000])('of %i stacks lists as many as fit', (count) => {
    const document = text(...Array.from({ length: count }, (_, at) => big(`stack-${at}`, 20)))
    expect(document.length).toBeLessThanOrEqual(mostMarkdownCharacters)
    expect(document.match(/^<details>/gm)!.length).toBeGreaterThan(10)
    expect(document.match(/^<details>/gm)).toHaveLength(document.match(/^<\/details>$/gm)!.length)
    expect(document).toContain('_Shortened:')
    expect(document.includes('more | | | | |')).toBe(count === 3_000)
  })

  test('because of one long line, or of many backticks, keeps the table', () => {
    for (const value of ['x'.repeat(100_000), '`'.repeat(40_000)]) {
      const document = text(planned('boards', { changes: [created('one', value)] }))
      expect(document.length).toBeLessThanOrEqual(mostMarkdownCharacters)
      expect(document).toContain('| <code>boards</code> |')
      expect(document).toContain('_Shortened:')
    }
  })
})
