import { describe, expect, test } from 'vitest'
import { channelLines, moveLines } from '../../../src/cli/text/channel-text.js'
import { errorLines } from '../../../src/cli/text/error-text.js'
import { diffLines } from '../../../src/cli/text/plan/line-diff.js'
import { showValue } from '../../../src/cli/text/plan/field-text.js'
import { changeLines, planLines } from '../../../src/cli/text/plan/plan-text.js'
import { historyLines, runLines } from '../../../src/cli/text/run-text.js'
import { UsageError } from '../../../src/cli/errors/cli-error.js'
import { setPath } from '../../../src/cli/verbs/resource/set-path.js'
import { age, shortRevision, span, elapsedText } from '../../../src/cli/text/short-forms.js'
import { stackLines, stackListLines } from '../../../src/cli/text/stack-text.js'
import { plainStyle, terminalWidth, type Display } from '../../../src/cli/text/text.js'
import { cutAddress, cutMiddle, facts, table, wrapped } from '../../../src/cli/text/table.js'
import type { StackRow } from '../../../src/views/stack.js'
import type { StatusView } from '../../../src/views/status.js'
import { InvalidPackage } from '../../../src/model/errors.js'
import type { Change } from '../../../src/model/resources/change.js'
import {
  sampleChannel,
  sampleChanges,
  sampleMove,
  samplePlan,
  sampleRow,
  sampleRun,
  sampleStack,
} from '../../api/sample-views.js'

const pipe: Display = { style: plainStyle, width: undefined, now: Date.parse('2026-11-21T04:03:00Z') }
const terminal: Display = { ...pipe, width: 80 }
// As it comes over the wire.
const plan = JSON.parse(JSON.stringify(samplePlan)) as typeof samplePlan

test('a plan reads top to bottom: changes with fields, reasons for approval, next step, counts', () => {
  expect(planLines(plan, pipe)).toEqual([
    'boards at stable@2f1c9ab on target local',
    '',
    '  + Bucket/raw  new in the package',
    '      name: "raw"',
    '      retentionRules[0].everySeconds: 3600',
    '  + LabelMapping/Bucket/raw/red  new in the package',
    '      resourceID: (known after apply: id of Bucket/raw)',
    '  ~ Task/rollup "Roll up"  changed in the package, renamed from Task/old-rollup',
    '      query:',
    '        - from(bucket: "a")',
    '        + from(bucket: "raw")',
    '            |> mean()',
    '  - Bucket/old  no longer in the package, loses data',
    '  Not counted: 1 label mapping (part of a resource).',
    '',
    '  = Dashboard/ops  charts[0].yPos: ignored',
    '',
    'This plan needs approval. gitmoor applies nothing until you approve it:',
    '  ! data-loss: Removing Bucket/old loses its data.',
    '    To keep the data, declare Bucket/old again',
    '    Or keep it without an owner: gitmoor stack release boards Bucket/old',
    '  next: gitmoor approve boards 3fa9c0d1e2b4',
    '',
    '1 to create, 1 to update, 1 to remove, 4 unchanged.  digest 3fa9c0d1e2b4',
  ])
})

test('a plan says once how to cancel an uninstall, whatever number of rules it breaks', () => {
  const changes = plan.changes.map((change) => ({ ...change, reason: 'uninstalled' as const }))
  const needsApproval = (['deletions', 'protect'] as const).map((rule) => ({ rule, message: `It breaks ${rule}.` }))
  const lines = planLines({ ...plan, changes, needsApproval, uninstall: true }, pipe)
  expect(lines.filter((line) => /cancel|declare|release/.test(line))).toEqual([
    '    To keep everything, cancel the uninstall: gitmoor cancel boards',
  ])
})

test('a plan without changes has only a line of counts', () => {
  const nothing = { ...plan, changes: [], needsApproval: [], counts: { create: 0, update: 0, remove: 0, unchanged: 5 } }
  expect(planLines(nothing, pipe).at(-1)).toBe('No changes, 5 unchanged.')
})

test('a plan ends with what keeps a sync from applying it now, and what to type', () => {
  const next = [{ verb: 'resume', args: {}, cli: 'gitmoor resume boards', purpose: '' }]
  const blockers = [{ reason: 'Suspended', message: 'Suspended by ann: audit.', since: null, until: null, next }]
  expect(planLines({ ...plan, blockers }, pipe).slice(-3)).toEqual([
    '1 to create, 1 to update, 1 to remove, 4 unchanged.  digest 3fa9c0d1e2b4',
    'blocked: Suspended by ann: audit.',
    '  next: gitmoor resume boards',
  ])
})

describe('the line of a change:', () => {
  const base: Change = { ...sampleChanges[0]!, fields: [] }
  const cases: Readonly<Record<string, readonly [Partial<Change>, string]>> = {
    'a changed field': [{ action: 'update', fields: [{ path: 'name', old: 'a', new: 'b' }] }, '      name: "a" → "b"'],
    'a removed field': [{ action: 'update', fields: [{ path: 'color', old: 'red' }] }, '      color: "red" → (none)'],
    'only ownership': [
      { action: 'update', reason: 'edited' },
      '  = Bucket/raw  changed in the package, only ownership changes',
    ],
    adoption: [
      { action: 'update', adopts: true, fields: [{ path: 'x', new: 1 }] },
      '  ~ Bucket/raw  new in the package, adopts the existing resource',
    ],
    untracking: [
      { action: 'untrack', reason: 'dropped' },
      '  - Bucket/raw  no longer in the package, untracked, stays on the target',
    ],
    'untracking of what is missing': [
      { action: 'untrack', reason: 'gone' },
      '  - Bucket/raw  missing on the target, no longer tracked',
    ],
    'a rollback': [
      { action: 'update', reason: 'rollback', fields: [{ path: 'x', old: 1, new: 2 }] },
      '  ~ Bucket/raw  changed by the rollback',
    ],
    'the end of a pin': [{ action: 'create', reason: 'unpin' }, '  + Bucket/raw  created by the unpin'],
    'a veto': [{ action: 'remove', reason: 'veto' }, '  - Bucket/raw  removed by the veto'],
    'a changed secret': [
      { action: 'update', reason: 'secret', fields: [{ path: 'token', old: '(secret a)', new: '(secret b)' }] },
      '  ~ Bucket/raw  its secret changed',
    ],
    drift: [
      { action: 'update', reason: 'drifted', fields: [{ path: 'x', old: 1, new: 2 }] },
      '  ~ Bucket/raw  changed on the target',
    ],
  }
  test.each(Object.entries(cases))('%s', (_, [change, line]) => {
    expect(changeLines({ ...base, ...change }, pipe)).toContain(line)
  })

  test('a new resource is shortened on a terminal, but not in a pipe', () => {
    const fields = Array.from({ length: 20 }, (_, at) => ({ path: `f${at}`, new: 'x'.repeat(100) }))
    const short = changeLines({ ...base, fields }, terminal)
    expect(short.at(-1)).toBe('      … and 8 more fields')
    expect(Math.max(...short.map((line) => line.length))).toBe(80)
    expect(changeLines({ ...base, fields }, pipe)).toHaveLength(21)
    expect(changeLines({ ...base, fields }, { ...terminal, full: true })).toHaveLength(21)
  })
})

describe('a value on one line:', () => {
  test.each([
    ['text', '"text"'],
    [null, 'null'],
    [{ a: [1, true] }, '{"a":[1,true]}'],
    ['(secret 1a2b)', '(secret 1a2b)'],
    [undefined, '(none)'],
    ['bell\u0007', '"bell\\u0007"'],
  ])('%j', (value, shown) => {
    expect(showValue(value, pipe)).toBe(shown)
  })
})

describe('the differing lines of two texts:', () => {
  const signs = (old: string, new_: string): string =>
    diffLines(old, new_)
      .map((line) => `${line.sign}${line.text}`)
      .join('|')
  test.each([
    ['none between equal texts', 'a\nb', 'a\nb', ' …'],
    ['an added line', 'a\nc', 'a\nb\nc', ' a|+b| c'],
    ['a removed line', 'a\nb\nc', 'a\nc', ' a|-b| c'],
    ['a changed line, old before new', 'a\nb\nc', 'a\nx\nc', ' a|-b|+x| c'],
    ['a distant line is omitted', '1\n2\n3\n4\n5\n6\n7', '1\n2\n3\n4\n5\n6\nx', ' …| 5| 6|-7|+x'],
  ])('%s', (_, old, new_, expected) => {
    expect(signs(old, new_)).toBe(expected)
  })

  test('huge texts are not compared line by line', () => {
    const text = (word: string): string => Array.from({ length: 3000 }, () => word).join('\n')
    expect(diffLines(text('a'), text('b'))).toHaveLength(6000)
  })
})

describe('short forms:', () => {
  test.each([
    [`stable@sha1:${'2f1c9ab'.padEnd(40, '0')}`, 'stable@2f1c9ab'],
    ['2f1c9ab'.padEnd(40, '0'), '2f1c9ab'],
    [`sha256:${'9c1d000'.padEnd(64, '0')}`, '9c1d000'],
    [`feature/a@b@sha1:${'2f1c9ab'.padEnd(40, '0')}`, 'feature/a@b@2f1c9ab'],
    ['odd', 'odd'],
    [null, '-'],
  ])('revision %s is %s', (revision, short) => {
    expect(shortRevision(revision)).toBe(short)
  })

  test.each([
    [0, '0s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [7_200_000, '2h'],
    [864_000_000, '10d'],
  ])('%i ms are %s', (ms, text) => {
    expect(span(ms)).toBe(text)
  })

  test('ages are in the past or in the future', () => {
    expect(age('2026-11-21T04:00:00Z', pipe.now)).toBe('3m ago')
    expect(age('2026-11-21T04:03:20Z', pipe.now)).toBe('in 20s')
    expect(age(null, pipe.now)).toBe('-')
  })

  test('a long duration is rounded', () => {
    expect(elapsedText('2026-11-21T04:00:00Z', '2026-11-21T04:00:00.420Z')).toBe('0.42 s')
    expect(elapsedText('2026-11-21T04:00:00Z', '2026-11-21T04:00:42Z')).toBe('42 s')
    expect(elapsedText('2026-11-21T04:00:00Z', '2026-11-21T04:05:42Z')).toBe('5m')
    expect(elapsedText(null, null)).toBe('')
  })
})

test('tables are aligned, without trailing spaces', () => {
  expect(
    table(
      ['A', 'LONG', 'C'],
      [
        ['first', 'x', ''],
        ['y', 'second', 'z'],
      ],
      pipe,
    ),
  ).toEqual(['A      LONG    C', 'first  x', 'y      second  z'])
  expect(
    facts(
      [
        ['name', 'x'],
        ['empty', ''],
        ['longer', 'y'],
      ],
      pipe,
    ),
  ).toEqual(['name:    x', 'longer:  y'])
})

describe('on a narrow terminal,', () => {
  const columns = ['NAME', { heading: 'FROM', fit: 'cut' }, { heading: 'WHY', fit: 'wrap' }, 'NEXT'] as const
  const row = [
    'boards',
    'https://git.example.com/acme/boards#stable',
    'The ref does not exist in this repository.',
    'type it',
  ]
  const at = (width: number | undefined): readonly string[] => table(columns, [row], { ...pipe, width })

  test('a table that fits is as in a pipe', () => {
    expect(at(110)).toEqual(at(undefined))
    expect(at(undefined)).toHaveLength(2)
  })

  test('long cells are cut in the middle or wrapped between words, and what has no room moves below its row', () => {
    expect(at(80)).toMatchInlineSnapshot(`
      [
        "NAME    FROM                   WHY                                       NEXT",
        "boards  https://gi…rds#stable  The ref does not exist in this            type it",
        "                               repository.",
      ]
    `)
    expect(at(60)).toMatchInlineSnapshot(`
      [
        "NAME    FROM",
        "boards  https://git.example.com/acme/boards#stable",
        "  why: The ref does not exist in this repository.",
        "  next: type it",
      ]
    `)
    expect(at(24)).toMatchInlineSnapshot(`
      [
        "NAME",
        "boards",
        "  from: https://…#stable",
        "  why: The ref does not",
        "       exist in this",
        "       repository.",
        "  next: type it",
      ]
    `)
  })

  test('no line is wider than the terminal', () => {
    for (let width = 20; width < 120; width++)
      expect(Math.max(...at(width).map((one) => one.length))).toBeLessThanOrEqual(width)
  })

  test.each([undefined, 60, 80, 120])('a column that is empty for all rows is left out at %s columns', (width) => {
    const [heading] = table(
      ['NAME', 'ERROR', { heading: 'NOTE', fit: 'wrap' }],
      [
        ['a', '', 'x'],
        ['b', '', ''],
      ],
      { ...pipe, width },
    )
    expect(heading).toBe('NAME  NOTE')
    expect(table(['NAME', 'ERROR'], [], { ...pipe, width })).toEqual(['NAME  ERROR'])
  })

  test('facts are wrapped below their values', () => {
    expect(facts([['last run', 'Run 12 failed: no such file.']], { ...pipe, width: 30 })).toEqual([
      'last run:  Run 12 failed: no',
      '           such file.',
    ])
  })

  test('of an address the URL is cut, then the path, and never the ref', () => {
    const address = 'https://git.example/boards#release/2026 in dashboards'
    expect(cutAddress(address, 60)).toBe(address)
    expect(cutAddress(address, 40)).toBe('https:…boards#release/2026 in dashboards')
    expect(cutAddress(address, 26)).toBe('…#release/2026 in dash…rds')
    expect(cutAddress(address, 0)).toBe('…#release/2026 in …')
    expect(cutAddress('https://a.example/one#main https://b.example/two#beta', 31)).toMatch(/#main http.*#beta$/)
    expect(cutAddress('https://git.example/package.yml', 12)).toBe('https:…e.yml')
    const follows = [{ heading: 'FOLLOWS', fit: 'address' }, 'NEXT'] as const
    const [, cut] = table(follows, [[address, 'type it']], { ...pipe, width: 30 })
    expect(cut).toContain('#release/2026 in ')
  })

  test('a word without room is broken, and of a short text nothing is cut', () => {
    expect(wrapped('a bcdefghi j', 4)).toEqual(['a', 'bcde', 'fghi', 'j'])
    expect(wrapped('', 4)).toEqual([''])
    expect(cutMiddle('abcdefgh', 5)).toBe('ab…gh')
    expect(cutMiddle('abcde', 5)).toBe('abcde')
  })
})

test.each([
  ['its columns', { columns: 60 }, {}, 60],
  ['no columns', { columns: 0 }, {}, 80],
  ['no columns, but COLUMNS', { columns: 0 }, { COLUMNS: '100' }, 100],
  ['no columns, and words in COLUMNS', { columns: 0 }, { COLUMNS: 'abc' }, 80],
  ['no columns, and an empty COLUMNS', { columns: 0 }, { COLUMNS: '' }, 80],
  ['no columns, and a negative COLUMNS', { columns: 0 }, { COLUMNS: '-4' }, 80],
  ['no terminal', {}, { COLUMNS: '100' }, undefined],
])('the width of a terminal with %s', (_, stream, environment, width) => {
  expect(terminalWidth(stream, environment)).toBe(width)
})

test('warnings of a synced stack: the list has the first one, the stack prints them', () => {
  const warnings = [
    { severity: 'warning', code: 'stacks/unused-value', message: 'No such key.', hint: 'Remove it.' },
  ] as const
  const stack = { ...sampleStack, status: { ...sampleStack.status, warnings } }
  const [, row] = stackListLines([stack], pipe)
  expect(row).toMatch(/Synced +1 warning .* No such key\. +gitmoor explain boards$/)
  expect(stackLines(stack, pipe).join('\n')).toContain('warning: No such key.\n  next: Remove it.')
})

describe('a list of stacks', () => {
  const row = (status: Partial<StatusView>): StackRow => ({
    ...sampleStack,
    status: {
      state: 'Synced',
      reason: 'Synced',
      also: [],
      message: 'It is applied.',
      lagMs: 0,
      since: null,
      next: [],
      warnings: [],
      ...status,
    },
  })
  const resume = { verb: 'resume', args: {}, cli: 'gitmoor resume boards', purpose: '' }
  const edit = { verb: 'edit', args: {}, cli: '', purpose: 'Fix the package' }
  const rows = [
    row({}),
    row({ state: 'Waiting', reason: 'Window', message: 'It is closed.' }),
    row({
      state: 'Suspended',
      reason: 'Suspended',
      also: ['MoveVetoed'],
      message: 'Suspended by ann.',
      next: [resume],
    }),
    row({ state: 'Failed', reason: 'PackageInvalid', also: ['ChannelPinned'], message: 'a.yml:3: No.', next: [edit] }),
  ]

  test('shows state, reasons, what is followed, a message, and what to type next', () => {
    expect(stackListLines(rows, pipe)).toMatchInlineSnapshot(`
      [
        "NAME    STATE      REASON                         TARGET  APPLIED         LAST RUN        DISPLAY NAME  FOLLOWS                                          MESSAGE            NEXT",
        "boards  Synced     -                              local   stable@2f1c9ab  applied 2m ago  Boards        https://git.example/boards#stable in dashboards",
        "boards  Waiting    Window                         local   stable@2f1c9ab  applied 2m ago  Boards        https://git.example/boards#stable in dashboards  It is closed.      gitmoor explain boards",
        "boards  Suspended  Suspended, MoveVetoed          local   stable@2f1c9ab  applied 2m ago  Boards        https://git.example/boards#stable in dashboards  Suspended by ann.  gitmoor resume boards",
        "boards  Failed     PackageInvalid, ChannelPinned  local   stable@2f1c9ab  applied 2m ago  Boards        https://git.example/boards#stable in dashboards  a.yml:3: No.       gitmoor explain boards",
      ]
    `)
    expect(stackListLines([], pipe)[0]).toContain('gitmoor stack create')
  })

  test('has no columns that are empty for all stacks, unless later lines may fill them', () => {
    const heading = (shown?: Parameters<typeof stackListLines>[2]): string | undefined =>
      stackListLines([row({}), row({})], pipe, shown)[0]
    expect(heading()).not.toMatch(/MESSAGE|NEXT/)
    expect(heading({ labels: true })).toMatch(/LABELS$/)
    expect(heading({ whole: true })).toMatch(/MESSAGE  NEXT$/)
    expect(stackListLines([row({}), rows[1]!], pipe)[0]).toMatch(/MESSAGE +NEXT$/)
  })

  test('shows the path that a stack reads', () => {
    const [source] = sampleStack.sources
    const below = { ...rows[0]!, sources: [{ ...source!, path: 'dashboards/ops' }] } as StackRow
    expect(stackListLines([below], pipe)[1]).toContain('https://git.example/boards#stable in dashboards/ops')
  })

  test('cuts a long message to the terminal, and prints it whole in a pipe', () => {
    const message = `Bucket/raw declares the name "raw", ${'which is taken, '.repeat(20)}and that is all.`
    const failed = row({ state: 'Failed', reason: 'TargetConflict', message, next: [resume] })
    const long = [{ ...failed, displayName: failed.name }]
    expect(stackListLines(long, pipe).join('\n')).toContain(message)
    for (const width of [80, 120, 200]) {
      const lines = stackListLines(long, { ...pipe, width })
      expect(lines.filter((one) => one.includes('which is taken'))).toHaveLength(1)
      expect(lines.join('\n')).toMatch(/message: Bucket\/raw declares.*…$|Bucket\/raw declares.*…/m)
      expect(Math.max(...lines.map((one) => one.length))).toBeLessThanOrEqual(width)
    }
  })

  test('fits into 60 columns', () => {
    const lines = stackListLines(rows, { ...pipe, width: 60 })
    expect(lines.slice(-6)).toMatchInlineSnapshot(`
      [
        "  applied: stable@2f1c9ab",
        "  last run: applied 2m ago",
        "  display name: Boards",
        "  follows: https://git.example/boards#stable in dashboards",
        "  message: a.yml:3: No.",
        "  next: gitmoor explain boards",
      ]
    `)
    expect(Math.max(...lines.map((one) => one.length))).toBeLessThanOrEqual(60)
  })
})

describe('a channel in 60 columns', () => {
  const narrow = { ...pipe, width: 60 }

  test('shows its released commit, and what blocks the newest move', () => {
    const lines = channelLines([sampleChannel], narrow)
    expect(lines).toMatchInlineSnapshot(`
      [
        "CHANNEL                            COMMIT",
        "https://git.example/boards#stable  2f1c9ab",
        "  released: pinned at 2f1c9ab, move 3 blocked",
        "  policy: forward-only, after 15m, 3 an hour, signed by ops",
        "  observed: 3m ago",
        "  stacks: boards",
        "",
        "It is pinned.",
        "  next: gitmoor channel unpin stable",
      ]
    `)
    expect(Math.max(...lines.slice(0, 5).map((one) => one.length))).toBeLessThanOrEqual(60)
  })

  test('shows the state and the direction of each move', () => {
    const version = { object: '7'.repeat(40), commit: '7'.repeat(40), tag: 'v1.4.0' }
    const moves = [sampleMove, { ...sampleMove, id: '2', from: version, direction: 'unknown' as const }]
    const lines = moveLines(moves, narrow)
    expect(lines).toMatchInlineSnapshot(`
      [
        "MOVE  STATE    FROM            TO",
        "3     blocked  missing         2f1c9ab (diverged)",
        "  observed: 2026-11-21 04:00:00Z",
        "  detected by: poll",
        "  note: approval; vetoed by ann: the CPU chart is wrong;",
        "        signed by ops; tag 81d0c3e by Ann: Release 1.2",
        "2     blocked  v1.4.0@7777777  2f1c9ab (direction unknown)",
        "  observed: 2026-11-21 04:00:00Z",
        "  detected by: poll",
        "  note: approval; vetoed by ann: the CPU chart is wrong;",
        "        signed by ops; tag 81d0c3e by Ann: Release 1.2",
      ]
    `)
    expect(Math.max(...lines.map((one) => one.length))).toBeLessThanOrEqual(60)
  })
})

test('a stack shows its state, why it is in it, and what to type next', () => {
  const next = [{ verb: 'resume', args: { stack: 'boards' }, cli: 'gitmoor resume boards', purpose: '' }]
  const status = {
    state: 'Suspended',
    reason: 'Suspended',
    also: [],
    message: 'ann suspended it: lunch.',
    lagMs: 0,
    since: null,
    next,
    warnings: [],
  } as const
  const lines = stackLines({ ...sampleStack, status }, pipe)
  expect(lines).toContain('state:         Suspended')
  expect(lines.join('\n')).toContain('ann suspended it: lunch.\n  next: gitmoor resume boards')
})

test('the history is a table, a run is shown with all facts', () => {
  expect(historyLines([{ ...sampleRow, firstError: 'a.yml:3: It is wrong.' }], pipe)).toEqual([
    'RUN  WHEN    OUTCOME  REVISION        CHANGES   CAUSE             ERROR',
    '12   2m ago  applied  stable@2f1c9ab  +1 ~1 -1  requested by ann  a.yml:3: It is wrong.',
  ])
  const lines = runLines({ ...sampleRun, problems: plan.problems }, pipe)
  expect(lines).toContain('finished:  2026-11-21 04:00:00Z in 0.42 s')
  expect(lines).toContain('phases:    Queued 0.10 s, Fetched 0.10 s, Planned 0.10 s, Applied 0.22 s')
  expect(lines).toContain('warning: The field colour is not known.')
  expect(lines).toContain('  a.yml:3: spec.colour')
  expect(lines).toContain('  + Bucket/raw  new in the package')
})

test('the history says when a run ended; of an unfinished run, when it was queued', () => {
  const run = { ...sampleRow, createdAt: '2026-11-21T03:00:00.000Z', finishedAt: '2026-11-21T04:02:00.000Z' }
  const ages = historyLines([run, { ...run, outcome: null, finishedAt: null }], pipe).map((line) => line.split('  ')[1])
  expect(ages).toEqual(['WHEN', ' 1m ago', ' 1h ago'])
})

test('a run in progress says what became of each change so far; one that failed, in which phase', () => {
  const [queued, fetching] = sampleRun.phases
  const failed = runLines({ ...sampleRun, outcome: 'failed', phases: [queued!, fetching!] }, pipe)
  expect(failed).toContain('phases:    Queued 0.10 s, Fetched 0.10 s: failed')
  const begun = { phase: 'applying', at: sampleRun.createdAt, endedAt: null } as const
  const progress = { 'Bucket/raw': 'in-progress' } as const
  const lines = runLines(
    { ...sampleRun, phase: 'applying', outcome: null, finishedAt: null, phases: [queued!, begun], progress },
    pipe,
  )
  expect(lines).toContain('phases:    Queued 0.10 s, Applied: applying')
  expect(lines).toContain('  + Bucket/raw  new in the package  [in progress]')
})

test('a run that did not complete its plan says how many of the listed changes are completed', () => {
  const changes = { create: 1, update: 0, remove: 0, unchanged: 0 }
  const lines = runLines({ ...sampleRun, outcome: 'interrupted', changes }, pipe)
  expect(lines[lines.indexOf('  + Bucket/raw  new in the package') - 1]).toBe('Planned changes, 1 of 3 completed:')
  expect(runLines(sampleRun, pipe).join('\n')).not.toContain('Planned changes')
})

describe('a field is set by its path:', () => {
  const live = { name: 'raw', rules: [{ every: 1 }, { every: 2 }] }
  test.each([
    ['name=other', { ...live, name: 'other' }],
    ['rules[1].every=60', { ...live, rules: [{ every: 1 }, { every: 60 }] }],
    ['rules[2]={"every":3}', { ...live, rules: [...live.rules, { every: 3 }] }],
    ['deep.er=true', { ...live, deep: { er: true } }],
    ['text=a=b', { ...live, text: 'a=b' }],
    ['__proto__.x=1', { ...live, ['__proto__']: { x: 1 } }],
  ])('%s', (assignment, expected) => {
    expect(setPath(live, assignment)).toEqual(expected)
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })

  test.each(['name', '=x', 'a..b=1', 'rules[9]=1', 'a[b]=1'])('%s is refused', (assignment) => {
    expect(() => setPath(live, assignment)).toThrow()
  })

  test('of 40,000 steps is refused', () => {
    expect(() => setPath(live, `a${'.a'.repeat(40_000)}=1`)).toThrow(UsageError)
  })
})

describe('an error in lines:', () => {
  const place = { file: 'a.yml', index: 0, pointer: '/spec', line: 3 }
  test('a single problem is the error, with its place and hint', () => {
    const problem = {
      severity: 'error' as const,
      code: 'x/y',
      message: 'It is wrong.',
      place,
      field: 'root[0].spec',
      hint: 'Do this.',
    }
    expect(errorLines(new InvalidPackage([problem]), plainStyle)).toEqual([
      'error: It is wrong.',
      '  a.yml:3: spec',
      '  next: Do this.',
    ])
  })

  test('an error that is one of its problems is printed once, beside the warnings', () => {
    const claimed = { severity: 'error' as const, code: 'plan/claimed', message: 'It is taken.', hint: 'Release it.' }
    const warning = { severity: 'warning' as const, code: 'x/y', message: 'It is odd.' }
    expect(errorLines(new InvalidPackage([claimed, warning], 'plan/claimed', 'The plan'), plainStyle)).toEqual([
      'error: It is taken.',
      '  next: Release it.',
      'warning: It is odd.',
    ])
  })

  test('several problems are listed below the error', () => {
    const problem = { severity: 'error' as const, code: 'x/y', message: 'It is wrong.', place }
    expect(errorLines(new InvalidPackage([problem, problem]), plainStyle)).toEqual([
      'error: The package has 2 errors.',
      '  error: It is wrong.',
      '    a.yml:3',
      '  error: It is wrong.',
      '    a.yml:3',
    ])
  })

  test('a bug is reported as a bug', () => {
    expect(errorLines(new TypeError('x is not a function'), plainStyle).at(-1)).toContain('This is a bug in gitmoor.')
  })
})
