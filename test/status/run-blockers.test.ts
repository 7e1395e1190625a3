// Whether a run may begin.
import { nextText } from '../../src/model/stacks/blocker.js'
import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/stacks/run.js'
import type { StackSpec, SyncWindow } from '../../src/model/stacks/stack.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import { manualWindows } from '../../src/settings/sync-windows.js'
import { refuseClosed, runBlockers, type RunBlockerInput } from '../../src/status/run-blockers.js'

const noon = Date.UTC(2026, 0, 1, 12)
const plain: StackSpec = { ...stackDefaults, name: 'boards', sources: [] }
const closed: StackSpec = { ...plain, windows: [{ kind: 'deny', schedule: '0 11 * * *', durationMs: 7_200_000 }] }
const base = { name: 'base', ready: false, why: 'It is suspended.' }
const facts = (changed: Partial<RunBlockerInput> = {}): RunBlockerInput => ({
  dependencies: [],
  isHalfDone: false,
  now: noon,
  ...changed,
})

function blockersOf(spec: StackSpec, one: Run | undefined, known: RunBlockerInput): ReturnType<typeof runBlockers> {
  return runBlockers({ spec, managedBy: 'api' }, one, known)
}

function run(changed: Partial<Run> = {}): Run {
  const nothing = {
    outcome: null,
    plan: null,
    changes: null,
    problems: [],
    files: null,
    startedAt: null,
    finishedAt: null,
    expects: null,
  }
  return {
    id: '7',
    stack: 'a',
    revision: 'main@sha1:aa',
    cause: { kind: 'commit' },
    phase: 'queued',
    intent: 'sync',
    createdAt: 0,
    ...nothing,
    ...changed,
  }
}

describe('waits', () => {
  test.each<[string, Partial<Run>]>([
    ['a new commit', {}],
    ['a moved tag', { cause: { kind: 'tag-moved' } }],
    ['a correction', { cause: { kind: 'drift' } }],
    ['a retry', { cause: { kind: 'retry' } }],
    ['its schedule', { cause: { kind: 'schedule' } }],
    ['its first sync', { cause: { kind: 'created', by: 'ann' }, revision: '' }],
    ['what a person pushed, or set', { cause: { kind: 'person', by: 'ann', note: 'settings changed' } }],
  ])('%s', (_, changed) => {
    expect(blockersOf(closed, run(changed), facts()).map(({ reason }) => reason)).toEqual(['Window'])
    expect(blockersOf(plain, run(changed), facts({ dependencies: [base] })).map(({ reason }) => reason)).toEqual([
      'Dependencies',
    ])
  })

  test('any automatic step without a run', () => {
    expect(blockersOf(closed, undefined, facts({ dependencies: [base] }))).toHaveLength(2)
  })
})

const manualRun: Run['cause'] = { kind: 'person', by: 'ann', requested: true }
const exempt: StackSpec = { ...closed, windows: closed.windows.map((one) => ({ ...one, manual: 'allow' })) }
const overrideWindow = 'the disk is full'

describe('while a window is closed', () => {
  test.each<[string, StackSpec, Partial<Run>, boolean]>([
    ['a manual run waits', closed, { cause: manualRun }, true],
    [
      'a plan that a person consented to waits',
      closed,
      { cause: { kind: 'person', by: 'ann' }, expects: 'ab12' },
      true,
    ],
    ['an uninstall waits', closed, { intent: 'uninstall' }, true],
    ['a recovery of what is settled already waits', closed, { cause: { kind: 'recovery' } }, true],
    ['a run that overrides it does not wait', closed, { cause: { ...manualRun, overrideWindow } }, false],
    [
      'the revert after a veto that overrides it does not wait',
      closed,
      { cause: { kind: 'person', by: 'ann', overrideWindow } },
      false,
    ],
    ['a manual run does not wait if the window exempts it', exempt, { cause: manualRun }, false],
    ['an uninstall does not wait if the window exempts it', exempt, { intent: 'delete', expects: 'ab12' }, false],
    ['a new commit waits even if the window exempts manual runs', exempt, {}, true],
    [
      'changed settings wait even if the window exempts manual runs',
      exempt,
      { cause: { kind: 'person', by: 'ann' } },
      true,
    ],
  ])('%s', (_, spec, changed, waits) => {
    expect(blockersOf(spec, run(changed), facts()).map(({ reason }) => reason)).toEqual(waits ? ['Window'] : [])
  })
})

describe('does not wait', () => {
  test.each<[string, Partial<Run>]>([
    ['a manual run', { cause: manualRun }],
    ['a plan that a person consented to', { cause: { kind: 'person', by: 'ann' }, expects: 'ab12' }],
    ['an uninstall', { intent: 'uninstall' }],
  ])('for another stack: %s', (_, changed) => {
    expect(blockersOf(plain, run(changed), facts({ dependencies: [base] }))).toEqual([])
  })

  test('for a window that exempts manual runs: a manual run of several stacks', () => {
    const together = run({ cause: { ...manualRun, awaitsDependencies: true } })
    expect(blockersOf(exempt, together, facts())).toEqual([])
    expect(blockersOf(plain, together, facts({ dependencies: [base] }))).toMatchObject([{ reason: 'Dependencies' }])
  })

  test.each<[string, Partial<Run>, Partial<RunBlockerInput>?]>([
    ['an undo', { phase: 'undoing' }],
    ['a run that continues an interrupted one', {}, { isHalfDone: true }],
  ])('%s', (_, changed, known) => {
    expect(blockersOf(closed, run(changed), facts({ dependencies: [base], ...known }))).toEqual([])
  })

  test('anything, where no window is closed and all are ready', () => {
    expect(blockersOf(plain, run(), facts())).toEqual([])
    expect(
      blockersOf(
        closed,
        run(),
        facts({ now: noon + 3_600_000, dependencies: [{ name: 'base', ready: true, why: '' }] }),
      ),
    ).toEqual([])
  })
})

test('a closed window is to be waited for first, and overridden last', () => {
  expect(blockersOf(closed, run(), facts())[0]!.next).toMatchObject([
    { verb: 'edit', purpose: 'Wait until 2026-01-01 13:00:00Z' },
    { cli: 'gitmoor sync boards --override-window --why "REASON"' },
  ])
})

test('a window that never opens says that no opening is known', () => {
  const windows = [{ kind: 'deny', schedule: '* * * * *', durationMs: 300_000, reason: 'freeze' }] as const
  expect(blockersOf({ ...closed, windows }, run(), facts())).toMatchObject([
    {
      reason: 'Window',
      until: null,
      message: 'A sync window denies writes: freeze. It does not end by itself.',
      next: [
        { purpose: 'Change its `windows`', cli: 'gitmoor stack set boards -f FILE' },
        { purpose: 'Or override it' },
      ],
    },
  ])
})

test.each([
  ['file', 'Change `windows` of boards in the configuration file'],
  ['fleet:teams', 'Change `windows` of boards in fleet teams'],
] as const)('a window that never opens is changed where the stack is declared: %s', (managedBy, purpose) => {
  const windows = [{ kind: 'deny', schedule: '* * * * *', durationMs: 300_000 }] as const
  const [window] = runBlockers({ spec: { ...closed, windows }, managedBy }, run(), facts())
  expect(window!.next[0]).toMatchObject({ verb: 'edit', purpose })
})

describe('a request in a closed window', () => {
  const hint = 'Wait until it opens, or add --override-window --why "REASON" (API: `overrideWindow`, `why`).'
  const refusal = (spec: StackSpec, why?: string): unknown => {
    try {
      return refuseClosed({ spec, managedBy: 'api' }, noon, why)
    } catch (error) {
      return error
    }
  }

  test.each<[string, StackSpec, string]>([
    [
      'is refused with the window and when it opens',
      { ...closed, windows: closed.windows.map((one) => ({ ...one, reason: 'freeze' })) },
      'boards: A sync window denies writes until 2026-01-01 13:00:00Z: freeze. The window: deny 0 11 * * * for 2h. Nothing is written.',
    ],
    [
      'is refused outside of all windows that allow it, with when the next one opens',
      { ...plain, windows: [{ kind: 'allow', schedule: '@daily', durationMs: 3_600_000 }] },
      'boards: No sync window is open until 2026-01-02 00:00:00Z. Nothing is written.',
    ],
  ])('%s', (_, spec, message) => {
    expect(refusal(spec)).toMatchObject({ status: 'needs-approval', code: 'stacks/window-closed', message, hint })
  })

  test('names the setting to change if it never opens', () => {
    const windows = [{ kind: 'deny', schedule: '* * * * *', durationMs: 300_000, reason: 'freeze' }] as const
    const change = 'Change `windows` of boards, or add --override-window --why "REASON" (API: `overrideWindow`, `why`).'
    expect(refusal({ ...closed, windows })).toMatchObject({ hint: change })
  })

  test('is accepted with a reason, if the window exempts it, and if no window is closed', () => {
    expect([refusal(closed, overrideWindow), refusal(exempt), refusal(plain)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('that does not say why it overrides the window is refused', () => {
    for (const spec of [closed, plain])
      expect(refusal(spec, ' ')).toMatchObject({ status: 'usage', code: 'stacks/why-missing' })
  })
})

describe('windows that bind a person', () => {
  const deny = { kind: 'deny', schedule: '@daily', durationMs: 1 } as const
  const allow = { kind: 'allow', schedule: '@daily', durationMs: 1 } as const
  const manual = 'allow' as const
  test.each<[string, readonly SyncWindow[], readonly SyncWindow[]]>([
    ['are all without an exemption', [deny, allow], [deny, allow]],
    ['are the others that deny', [{ ...deny, manual }, deny], [deny]],
    ['omit windows that allow if all exempt it', [{ ...allow, manual }, { ...allow, manual }, deny], [deny]],
    [
      'are all of those that allow, where one does not exempt',
      [{ ...allow, manual }, allow],
      [{ ...allow, manual }, allow],
    ],
  ])('%s', (_, windows, bound) => {
    expect(manualWindows(windows)).toEqual(bound)
  })
})

describe('blockers are reported', () => {
  test.each<[string, StackSpec, Partial<RunBlockerInput>, string, string | null]>([
    [
      'a window that denies',
      closed,
      {},
      'A sync window denies writes until 2026-01-01 13:00:00Z.',
      '2026-01-01T13:00:00.000Z',
    ],
    [
      'the windows that allow',
      { ...plain, windows: [{ kind: 'allow', schedule: '@daily', durationMs: 3_600_000 }] },
      {},
      'No sync window is open until 2026-01-02 00:00:00Z.',
      '2026-01-02T00:00:00.000Z',
    ],
    [
      'stacks that are not ready',
      plain,
      { dependencies: [base, { ...base, name: 'labels' }] },
      'It waits for base, labels to be synced and healthy.',
      null,
    ],
  ])('%s', (_, spec, known, message, until) => {
    const [wait] = blockersOf(spec, run(), facts(known))
    expect(wait).toMatchObject({ message, until: until === null ? null : Date.parse(until) })
    expect(nextText(wait!.next)).toContain('gitmoor sync boards')
  })
})
