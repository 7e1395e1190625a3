import { describe, expect, test } from 'vitest'
import type { Address } from '../../src/model/address.js'
import type { MoveBlockerReason } from '../../src/channel/blocked-move.js'
import { nextText, stackCommand } from '../../src/model/stacks/blocker.js'
import type { Run } from '../../src/model/stacks/run.js'
import { sourceLocations } from '../../src/model/sources/source-spec.js'
import type { Failure, Stack } from '../../src/model/stacks/stack.js'
import { stackDefaults } from '../../src/settings/stack-settings.js'
import {
  awaitsPerson,
  cancelledFailure,
  needsPerson,
  stackHealth,
  syncState,
  type StatusInput,
} from '../../src/status/axes.js'
import { stackConditions } from '../../src/status/conditions.js'
import { isSynced, stackBlockers, stackStatus, states, type State } from '../../src/status/status.js'
import { waitRefusal } from '../../src/status/wait-refusal.js'

const at = Date.parse('2026-01-01T00:00:00Z')
const spec: Stack['spec'] = {
  ...stackDefaults,
  name: 'boards',
  sources: [{ kind: 'git', url: 'https://git.example/boards', ref: 'stable', path: '' }],
}
const revision = 'stable@sha1:aa'
const synced: Stack = {
  id: '0000000000000001',
  spec,
  managedBy: 'api',
  createdAt: at,
  suspended: null,
  pinned: null,
  pushed: null,
  observed: { revision, content: 'c' },
  attempted: { revision, settings: 's' },
  applied: { revision, content: 'c', files: 'f', place: 'p', run: '1' },
  consent: null,
  checkedAt: at + 5,
  drifted: 0,
  driftedSince: null,
  unhealthy: null,
  unhealthySince: null,
  failure: null,
  retries: 0,
  retryAt: null,
}
const applied: Run = {
  id: '1',
  stack: synced.id,
  revision,
  cause: { kind: 'commit' },
  phase: 'done',
  outcome: 'applied',
  plan: null,
  changes: null,
  problems: [],
  files: 'f',
  createdAt: at + 1,
  startedAt: at + 2,
  finishedAt: at + 3,
  intent: 'sync',
  expects: null,
}
const queued: Run = { ...applied, id: '2', phase: 'queued', outcome: null, startedAt: null, finishedAt: null }
const failure: Failure = { reason: 'ApplyFailed', code: 'engine/x', message: 'The target said no.', retry: 'soon' }
const behind = { observed: { revision: 'stable@sha1:bb', content: 'd' } }
const suspended = { suspended: { reason: 'maintenance', by: 'ann', until: null } }
const pinned = { pinned: { run: '1', revision, by: 'ann', why: '' } }

type Given = Omit<Partial<StatusInput>, 'stack'> & { readonly stack?: Partial<Stack> }

const input = ({ stack, ...more }: Given = {}): StatusInput => ({
  last: applied,
  inProgress: undefined,
  pollFailure: undefined,
  blockers: [],
  blockedMoves: [],
  unreadableInputs: [],
  ...more,
  stack: { ...synced, ...stack },
})
const blockedBy = (reason: MoveBlockerReason): Given => ({
  blockedMoves: [
    { reason, message: 'It is blocked.', since: at, until: null, next: [], commit: 'bb', blocksRuns: false },
  ],
})
/** Its channel releases nothing, and its queued run waits for a revision. */
const awaitingRelease = (reason: MoveBlockerReason, stack: Partial<Stack> = {}): Given => ({
  blockedMoves: blockedBy(reason).blockedMoves!.map((move) => ({ ...move, blocksRuns: true })),
  last: { ...queued, revision: '' },
  stack,
})
const nothingObserved: Partial<Stack> = { observed: null, applied: null }
const awaitingWindow: Given = {
  last: queued,
  blockers: [{ reason: 'Window', message: 'A sync window denies writes.', since: null, until: at + 9, next: [] }],
}
const awaitingBase: StatusInput['blockers'][number] = {
  reason: 'Dependencies',
  message: 'It waits for base.',
  since: at,
  until: null,
  next: [stackCommand('See why', 'explain', 'base')],
}
const missing: Given = {
  unreadableInputs: [
    { kind: 'secret', key: 'slack', why: 'The environment variable SLACK is not set.', fix: 'Set it' },
    {
      kind: 'value',
      key: 'region',
      why: 'Cannot read the file /region: no such file or directory.',
      fix: 'Put the file back',
    },
  ],
}
const withoutSecret: Given = {
  last: {
    ...applied,
    problems: [{ severity: 'warning', code: 'stacks/missing-secret', message: 'No "slack".', hint: 'Set it.' }],
  },
}
const unused = {
  severity: 'warning',
  code: 'stacks/unused-value',
  message: 'No such env key.',
  hint: 'Remove it.',
} as const
const unusedValue: Given = { last: { ...applied, problems: [unused] } }
const unhealthy: Partial<Stack> = {
  unhealthy: { count: 1, first: [{ address: 'Lamp/door' as Address, reason: 'It is dark.' }] },
  unhealthySince: at + 5,
}
const needsApproval: Given = { last: { ...applied, phase: 'needs-approval', outcome: 'needs-approval' } }
const cancelled: Given = {
  last: { ...applied, outcome: 'cancelled' },
  stack: { failure: cancelledFailure(synced, 'ann cancelled the run.') },
}

test('a comparison that nobody made yet writes nothing if drift is only reported', () => {
  const next = (drift: Stack['spec']['drift']): unknown =>
    stackStatus(input({ stack: { checkedAt: null, spec: { ...spec, drift } } })).next.map(({ cli }) => cli)
  expect([next('correct'), next('report')]).toEqual([['gitmoor sync boards'], ['gitmoor wait boards']])
})

describe('warnings of the last run', () => {
  test('are in the status, and a missing secret is a blocker with its hint instead', () => {
    expect(stackStatus(input(unusedValue)).warnings).toEqual([unused])
    expect(stackHealth(input(unusedValue))).toBe('Healthy')
    expect(stackStatus(input(withoutSecret)).warnings).toEqual([])
    expect(stackHealth(input(withoutSecret))).toBe('Degraded')
    expect(stackBlockers(input(withoutSecret)).map(({ next }) => nextText(next))).toEqual(['Set it.'])
  })

  test('that are advice on the package are left out', () => {
    const problems = [{ ...unused, code: 'kinds/plain-credential' }, unused]
    expect(stackStatus(input({ last: { ...applied, problems } })).warnings).toEqual([unused])
  })

  test('beyond ten are counted', () => {
    const problems = Array.from({ length: 12 }, () => unused)
    const { warnings } = stackStatus(input({ last: { ...applied, problems } }))
    expect(warnings).toHaveLength(10)
    expect(warnings.at(-1)).toMatchObject({ more: 3 })
  })
})

describe('the state of a stack', () => {
  test.each(
    Object.entries({
      'is Synced if the applied revision is the desired one': [{}, 'Synced', 'Synced', at + 3],
      'is Behind while a newer revision is not applied': [{ stack: behind }, 'Behind', 'Behind', at + 1],
      'is Behind while a policy refuses the newest move': [blockedBy('MoveRefused'), 'Behind', 'MoveRefused', at],
      'is Behind after a veto': [blockedBy('MoveVetoed'), 'Behind', 'MoveVetoed', at],
      'is Behind while a policy refuses its first move': [
        awaitingRelease('MoveRefused', nothingObserved),
        'Behind',
        'MoveRefused',
        at,
      ],
      'is Behind after a veto of the only release, also with a queued run': [
        awaitingRelease('MoveVetoed'),
        'Behind',
        'MoveVetoed',
        at,
      ],
      'is Waiting while its first move is not old enough': [
        awaitingRelease('MoveWaiting', nothingObserved),
        'Waiting',
        'MoveWaiting',
        at + 1,
      ],
      'is Running while a run applies what was released before': [
        { ...awaitingRelease('MoveVetoed'), last: queued, inProgress: 'applying' },
        'Running',
        'Running',
        at + 1,
      ],
      'is Behind after its run was cancelled': [cancelled, 'Behind', 'Cancelled', at + 3],
      'is Running when a run follows the cancelled one': [{ ...cancelled, last: queued }, 'Running', 'Running', at + 1],
      'is Failed after a cancelled run if polls fail': [
        { ...cancelled, pollFailure: { ...failure, reason: 'FetchFailed' } },
        'Failed',
        'FetchFailed',
        null,
      ],
      'is Waiting while a window blocks the queued run': [awaitingWindow, 'Waiting', 'Window', at + 1],
      'is Waiting since its run was queued if the window began before': [
        { ...awaitingWindow, blockers: [{ ...awaitingWindow.blockers![0]!, since: at - 60_000 }] },
        'Waiting',
        'Window',
        at + 1,
      ],
      'is Waiting since the window began if the run was queued before': [
        { ...awaitingWindow, blockers: [{ ...awaitingWindow.blockers![0]!, since: at + 60_000 }] },
        'Waiting',
        'Window',
        at + 60_000,
      ],
      'is Waiting while the newest move is not old enough': [blockedBy('MoveWaiting'), 'Waiting', 'MoveWaiting', at],
      'is Waiting before the first push': [
        { last: undefined, stack: { spec: { ...spec, sources: [{ kind: 'inline' }] }, observed: null, applied: null } },
        'Waiting',
        'PackageMissing',
        at,
      ],
      'is Pinned, also behind its ref': [{ stack: { ...pinned, ...behind } }, 'Pinned', 'Pinned', null],
      'is Pinned while its channel is': [blockedBy('ChannelPinned'), 'Pinned', 'ChannelPinned', at],
      'is Unknown before the first poll': [
        { last: undefined, stack: { observed: null, applied: null } },
        'Unknown',
        'Unknown',
        at,
      ],
      'is Unknown until the target was read': [{ stack: { checkedAt: null } }, 'Unknown', 'Unknown', null],
      'is Suspended, with who and why': [{ stack: suspended }, 'Suspended', 'Suspended', null],
      'is Suspended if a newer run is queued than the failed one': [
        { last: queued, stack: { ...suspended, failure } },
        'Suspended',
        'Suspended',
        null,
      ],
      'is Failed while suspended if its newest run failed': [
        { stack: { ...suspended, failure } },
        'Failed',
        'ApplyFailed',
        at + 3,
      ],
      'is Drifted if the target differs': [{ stack: { drifted: 2 } }, 'Drifted', 'Drifted', null],
      'is Degraded while a secret cannot be read': [missing, 'Degraded', 'SecretMissing', null],
      'is Degraded if the last run did not find a secret': [withoutSecret, 'Degraded', 'SecretMissing', at + 3],
      'is Degraded if a resource does not work': [{ stack: unhealthy }, 'Degraded', 'Unhealthy', at + 5],
      'is Degraded while suspended if a resource does not work': [
        { stack: { ...suspended, ...unhealthy } },
        'Degraded',
        'Unhealthy',
        at + 5,
      ],
      'is Drifted if a resource differs and another does not work': [
        { stack: { drifted: 2, ...unhealthy } },
        'Drifted',
        'Drifted',
        null,
      ],
      'is Synced if the last run only warned': [unusedValue, 'Synced', 'Synced', at + 3],
      'is Running while a run is in progress': [{ last: queued, inProgress: 'planning' }, 'Running', 'Running', at + 1],
      'is Running while a run is queued that nothing blocks': [{ last: queued }, 'Running', 'Running', at + 1],
      'is Needs approval while a plan does': [needsApproval, 'Needs approval', 'NeedsApproval', at + 3],
      'is Needs approval while a move does': [
        blockedBy('MoveNeedsApproval'),
        'Needs approval',
        'MoveNeedsApproval',
        at,
      ],
      'is Failed after a failed run': [{ stack: { failure } }, 'Failed', 'ApplyFailed', at + 3],
      'is Failed while polls fail': [
        { pollFailure: { ...failure, reason: 'FetchFailed' } },
        'Failed',
        'FetchFailed',
        null,
      ],
    } satisfies Record<string, readonly [Given, State, string, number | null]>),
  )('%s', (_, [given, state, reason, since]) => {
    expect(stackStatus(input(given))).toMatchObject({ state, reason, since })
    expect(stackStatus(input(given)).message).toMatch(/\.$/)
  })

  test('counts the changes that a cancelled run kept', () => {
    const messageAfter = (changes: Run['changes']): string =>
      stackStatus(input({ ...cancelled, last: { ...cancelled.last!, changes } })).message
    const none = { create: 0, update: 0, remove: 0, unchanged: 4 }
    expect([null, none, { ...none, create: 1 }, { ...none, create: 1, remove: 2 }].map(messageAfter)).toEqual([
      'ann cancelled the run.',
      'ann cancelled the run.',
      'ann cancelled the run. 1 completed change is kept.',
      'ann cancelled the run. 3 completed changes are kept.',
    ])
  })

  test('is followed by the reasons of all other blockers', () => {
    const both = { ...blockedBy('MoveVetoed'), stack: { ...suspended, ...pinned } }
    expect(stackStatus(input(both))).toMatchObject({ reason: 'Suspended', also: ['Pinned', 'MoveVetoed'] })
    expect(stackStatus(input(blockedBy('MoveVetoed')))).toMatchObject({ reason: 'MoveVetoed', also: [] })
    expect(stackStatus(input({ ...blockedBy('MoveVetoed'), last: queued }))).toMatchObject({ also: ['MoveVetoed'] })
  })

  test('is the first that applies, in the order of the list', () => {
    const all: Given = {
      ...needsApproval,
      ...blockedBy('MoveWaiting'),
      ...missing,
      pollFailure: failure,
      stack: { ...suspended, ...pinned, ...behind, drifted: 1 },
    }
    const settled = { ...all, pollFailure: undefined, last: applied }
    const rest = [
      all,
      { ...all, pollFailure: undefined },
      { ...all, pollFailure: undefined, last: { ...queued }, inProgress: 'applying' as const },
      settled,
      { ...settled, stack: { ...all.stack, drifted: 0 } },
      { ...settled, unreadableInputs: [], stack: { ...all.stack, drifted: 0 } },
      { ...settled, unreadableInputs: [], stack: { ...pinned, ...behind } },
      { ...settled, unreadableInputs: [], stack: behind },
      { last: applied, stack: behind },
      {},
    ]
    const found = rest.map((given) => stackStatus(input(given)).state)
    expect(found).toEqual(states.filter((state) => state !== 'Unknown'))
  })
})

describe('blockers', () => {
  const rejected: Failure = { ...failure, reason: 'PackageInvalid', retry: 'change' }
  const fetchFailed: Failure = { ...failure, reason: 'FetchFailed' }

  test.each(
    Object.entries({
      'a failed poll, then a suspension and a pin': [
        { ...awaitingWindow, pollFailure: failure, stack: { ...suspended, ...pinned } },
        ['ApplyFailed', 'Suspended', 'Pinned', 'Window'],
      ],
      'a failed poll, then a refused move': [
        { ...blockedBy('MoveRefused'), pollFailure: fetchFailed },
        ['FetchFailed', 'MoveRefused'],
      ],
      'two failures, then a veto': [
        { ...blockedBy('MoveVetoed'), pollFailure: fetchFailed, stack: { failure: { ...failure, code: 'engine/y' } } },
        ['ApplyFailed', 'FetchFailed', 'MoveVetoed'],
      ],
      'an approval, then a suspension, a pin and a veto': [
        { ...needsApproval, ...blockedBy('MoveVetoed'), stack: { ...suspended, ...pinned } },
        ['NeedsApproval', 'Suspended', 'Pinned', 'MoveVetoed'],
      ],
      'drift, then a pin and a window': [
        { ...awaitingWindow, last: applied, stack: { ...pinned, drifted: 1, spec: { ...spec, drift: 'report' } } },
        ['Drifted', 'Pinned', 'Window'],
      ],
      'unreadable inputs, then a suspension': [
        { ...missing, stack: suspended },
        ['SecretMissing', 'SecretMissing', 'Suspended'],
      ],
      'a resource that does not work, then a suspension': [
        { stack: { ...suspended, ...unhealthy } },
        ['Unhealthy', 'Suspended'],
      ],
      'a failure, then a resource that does not work': [
        { stack: { failure, ...unhealthy } },
        ['ApplyFailed', 'Unhealthy'],
      ],
      'a suspension, then a veto': [{ ...blockedBy('MoveVetoed'), stack: suspended }, ['Suspended', 'MoveVetoed']],
      'a pin, then a veto': [{ ...blockedBy('MoveVetoed'), stack: pinned }, ['Pinned', 'MoveVetoed']],
      'a failure that is retried, then the pin of its channel': [
        { ...blockedBy('ChannelPinned'), stack: { failure } },
        ['ApplyFailed', 'ChannelPinned'],
      ],
      'the pin of its channel, if only another commit ends the failure': [
        { ...blockedBy('ChannelPinned'), stack: { ...pinned, failure: rejected } },
        ['ChannelPinned', 'PackageInvalid', 'Pinned'],
      ],
    } satisfies Record<string, readonly [Given, readonly string[]]>),
  )(
    'are all named, and those that make the state come first: %s',
    (_, [given, reasons]: [Given, readonly string[]]) => {
      const found = stackBlockers(input(given))
      expect(found.map(({ reason }) => reason)).toEqual(reasons)
      const { reason, also } = stackStatus(input(given))
      expect([reason, ...also].toSorted()).toEqual([...new Set(reasons)].toSorted())
      expect(reason).toBe(reasons.find((one) => one !== 'ChannelPinned'))
    },
  )

  test('of a suspended stack whose plan needs approval are named by the suspension if somebody waits for it', () => {
    const given = input({ ...needsApproval, stack: suspended })
    expect(waitRefusal(given)).toMatchObject({ status: 'locked', code: 'stacks/suspended' })
  })

  test.each(
    Object.entries({
      'the stacks that it waits for': [{ last: queued, blockers: [awaitingBase] }, ['gitmoor explain base']],
      'a suspension': [{ stack: suspended }, ['gitmoor resume boards']],
      nothing: [{ stack: pinned }, ['gitmoor sync boards']],
    } satisfies Record<string, readonly [Given, readonly string[]]>),
  )(
    'the steps of drift that gitmoor corrects end what blocks the correction, or correct it: %s',
    (_, [given, steps]) => {
      const { stack, ...more }: Given = given
      const status = stackStatus(input({ ...more, stack: { ...stack, drifted: 1 } }))
      expect(status).toMatchObject({ state: 'Drifted', reason: 'Drifted' })
      expect(status.next.map(({ cli }) => cli)).toEqual(steps)
    },
  )

  test.each([
    ['api', 'Delete it: gitmoor stack delete boards.'],
    ['file', 'Remove boards from the configuration file.'],
  ] as const)(
    'an uninstalled stack that the %s manages can be deleted first, or installed again',
    (managedBy, first) => {
      const stack = { managedBy, suspended: { ...suspended.suspended, reason: 'uninstalled' } }
      const [blocker] = stackBlockers(input({ stack }))
      expect(nextText(blocker!.next)).toBe(`${first} Or install it again: gitmoor resume boards`)
    },
  )

  test('a member of a fleet that left, with a resource that does not work, can be brought back or deleted', () => {
    const managedBy = 'fleet:boards' as const
    const stack = { managedBy, suspended: { ...suspended.suspended, by: managedBy }, ...unhealthy }
    const { reason, next } = stackStatus(input({ stack }))
    expect(reason).toBe('Unhealthy')
    expect(nextText(next)).toContain('Bring it back into fleet boards.')
    expect(nextText(next)).not.toContain('wait')
  })

  test.each([
    ['source/path-missing', 'api', 'gitmoor stack set boards --path PATH'],
    ['source/directory-missing', 'api', 'gitmoor stack set boards --dir DIR'],
    ['source/no-package-files', 'api', 'To remove them: gitmoor stack delete boards --uninstall'],
    [
      'source/no-package-files',
      'fleet:teams',
      'To remove them, remove boards from fleet teams, then: gitmoor stack delete boards --uninstall',
    ],
    ['agent/fighting', 'api', 'gitmoor stack set boards --drift report'],
    ['agent/fighting', 'file', '`drift: report` of boards in the configuration file'],
  ] as const)('a failure %s of a stack that the %s manages names the setting', (code, managedBy, step) => {
    const [blocker] = stackBlockers(input({ stack: { managedBy, failure: { ...failure, code } } }))
    expect(nextText(blocker!.next)).toContain(step)
  })

  test.each([
    ['source/ref-missing', 'api', 'Did you mean "x"? Follow it: gitmoor stack set boards --ref x'],
    ['source/path-missing', 'api', 'Did you mean "x"? Use it: gitmoor stack set boards --path x'],
    ['source/path-missing', 'file', 'Did you mean "x"? Use it: `path: x` of boards in the configuration file'],
  ] as const)('a failure %s with a similar name has one step (%s)', (code, managedBy, text) => {
    const missing: Failure = { ...failure, code, retry: 'change', hint: 'Did you mean "x"?', suggestion: 'x' }
    const [blocker] = stackBlockers(input({ stack: { managedBy, failure: missing } }))
    expect(nextText(blocker!.next)).toBe(text)
  })

  test('a path that is gone after it was applied keeps the resources, and no similar folder is suggested', () => {
    const missing: Failure = { ...failure, code: 'source/path-missing', hint: 'Did you mean "x"?', suggestion: 'x' }
    const { stack } = input({ stack: { failure: missing } })
    const was = { ...stack.applied!, place: sourceLocations(stack.spec) }
    const [blocker] = stackBlockers(input({ stack: { failure: missing, applied: was } }))
    expect(nextText(blocker!.next)).toMatch(/^Applied resources stay unchanged: .* Push a commit that has the path\./)
    expect(nextText(blocker!.next)).not.toContain('Did you mean')
  })

  test('a path of a fleet that is gone names no setting: the fleet gives its stacks their paths', () => {
    const missing: Failure = { ...failure, code: 'source/path-missing' }
    const { stack } = input({ stack: { failure: missing } })
    const was = { ...stack.applied!, place: sourceLocations(stack.spec) }
    const [blocker] = stackBlockers(input({ stack: { managedBy: 'fleet:teams', failure: missing, applied: was } }))
    expect(nextText(blocker!.next)).toBe(
      'Applied resources stay unchanged: a missing path never deletes. Push a commit that has the path. ' +
        'To remove them, remove boards from fleet teams, then: gitmoor stack delete boards --uninstall',
    )
  })

  test.each([
    ['the first failure is that of the last run', { retries: 1 }, at + 3],
    [
      'the time of the first failure in a row is stored',
      { retries: 5, failure: { ...failure, since: at - 9 } },
      at - 9,
    ],
    ['an older version did not store that time', { retries: 5 }, null],
  ] as const)('a failure says since when: %s', (_, stack, since) => {
    expect(stackBlockers(input({ stack: { failure, ...stack } }))).toMatchObject([{ reason: 'ApplyFailed', since }])
  })

  test.each(['ConfigurationMissing', 'TargetMissing'])('%s comes before the failure of the last run', (reason) => {
    const pollFailure: Failure = { ...failure, reason, message: 'It is not declared.', retry: 'change' }
    const given = input({ pollFailure, stack: { failure, retries: 2, retryAt: at + 60_000 } })
    expect(stackBlockers(given)).toMatchObject([
      { reason, since: null, until: null },
      { reason: 'ApplyFailed', since: null, until: null, next: [] },
    ])
    expect(stackStatus(given)).toMatchObject({ state: 'Failed', reason, also: ['ApplyFailed'] })
    expect(stackConditions(given)).toMatchObject([
      { type: 'Ready', status: false, reason },
      { type: 'Reconciling', status: false },
      { type: 'Stalled', status: true, message: 'It is not declared.' },
      { type: 'Healthy', status: true },
    ])
    expect(waitRefusal(given)?.message).toBe('boards cannot sync: It is not declared.')
    expect(needsPerson(given)).toBe(true)
    const same = input({ pollFailure, stack: { failure: { ...failure, reason } } })
    expect(stackBlockers(same)).toMatchObject([{ reason, message: 'It is not declared.' }])
  })

  test.each(['ConfigurationMissing', 'TargetMissing'])(
    '%s comes before what no command can end meanwhile',
    (reason) => {
      const pollFailure: Failure = { ...failure, reason, code: 'platform/target-missing', retry: 'change' }
      const given = input({ ...needsApproval, pollFailure, stack: { ...suspended, ...pinned } })
      expect(stackBlockers(given).map((blocker) => blocker.reason)).toEqual([
        reason,
        'Suspended',
        'Pinned',
        'NeedsApproval',
      ])
      expect(waitRefusal(given)).toMatchObject({ status: 'target', code: `stacks/${reason.toLowerCase()}` })
    },
  )

  test('waiting ends at once if no window opens later', () => {
    const blockers = awaitingWindow.blockers!.map((one) => ({ ...one, until: null }))
    expect(waitRefusal(input({ ...awaitingWindow, blockers }))).toMatchObject({
      status: 'needs-approval',
      code: 'stacks/window',
    })
  })

  test('a failed poll does not hide the failure of the last run', () => {
    const pollFailure: Failure = { ...failure, reason: 'FetchFailed' }
    expect(stackBlockers(input({ pollFailure, stack: { failure } }))).toMatchObject([{ reason: 'ApplyFailed' }])
  })

  test('a failed poll is repeated, even if the source refuses it', () => {
    const pollFailure: Failure = { ...failure, reason: 'FetchFailed', retry: 'change', hint: 'Check the path.' }
    const [blocker] = stackBlockers(input({ pollFailure }))
    expect(nextText(blocker!.next)).toBe(
      'Check the path. gitmoor continues when a poll succeeds. Poll now: gitmoor sync boards',
    )
  })

  test('a retry is announced once, with its time if that is known', () => {
    const hint = 'Check the address.'
    const pollFailure: Failure = { ...failure, reason: 'FetchFailed', hint }
    const [blocker] = stackBlockers(input({ pollFailure }))
    expect(nextText(blocker!.next)).toBe('Check the address. gitmoor retries soon. Retry now: gitmoor sync boards')
  })

  test('a failure that is retried says when, and how to retry now', () => {
    const [blocker] = stackBlockers(input({ stack: { failure, retries: 2, retryAt: at + 60_000 } }))
    expect(blocker).toMatchObject({ until: at + 60_000 })
    expect(nextText(blocker!.next)).toBe(
      'gitmoor retries at 2026-01-01 00:01:00Z (try 3). Retry now: gitmoor sync boards',
    )
  })

  test('each input that cannot be read is one, with where it was searched; nothing failed yet', () => {
    const given = input(missing)
    expect(stackBlockers(given)).toMatchObject([
      {
        reason: 'SecretMissing',
        message: 'The secret "slack" of stack boards cannot be read now: The environment variable SLACK is not set.',
      },
      {
        reason: 'SecretMissing',
        message:
          'The value "region" of stack boards cannot be read now: Cannot read the file /region: no such file or directory.',
      },
    ])
    expect(stackConditions(given)[0]).toMatchObject({ type: 'Ready', status: true })
    expect(stackHealth(given)).toBe('Degraded')
    expect(waitRefusal(given)).toBeUndefined()
  })

  test.each([
    ['api', 'Set it. Or refer to another one: gitmoor stack set boards --secret slack=env:VARIABLE'],
    ['file', 'Set it. Or change `secrets` of boards in the configuration file'],
  ] as const)('of a stack that the %s manages, a missing secret says how to give it', (managedBy, text) => {
    expect(nextText(stackBlockers(input({ ...missing, stack: { managedBy } }))[0]!.next)).toBe(text)
  })

  test('a failure that names the missing input is not repeated', () => {
    const { message } = stackBlockers(input(missing))[0]!
    const given = input({ ...missing, stack: { failure: { ...failure, reason: 'SecretMissing', message } } })
    expect(stackBlockers(given).map((blocker) => blocker.message)).toEqual([
      message,
      expect.stringContaining('"region"') as string,
    ])
    expect(stackStatus(given)).toMatchObject({ state: 'Failed', reason: 'SecretMissing', message })
  })

  test('resources that do not work are one each; the first counts those that are not named', () => {
    const first = ['Lamp/a', 'Lamp/b c'].map((address) => ({ address: address as Address, reason: 'It is dark.' }))
    const found = stackBlockers(input({ stack: { unhealthy: { count: 3, first }, unhealthySince: at } }))
    expect(found.map(({ message }) => message)).toEqual([
      'Lamp/a is unhealthy. It is dark. 2 more resources are unhealthy.',
      'Lamp/b c is unhealthy. It is dark.',
    ])
    expect(found[1]!.next.map(({ cli }) => cli)).toEqual([
      "gitmoor explain boards 'Lamp/b c'",
      'gitmoor wait boards --for healthy',
    ])
  })

  test('a resource that does not work needs a person, and keeps the stack from nothing', () => {
    const given = input({ stack: unhealthy })
    expect([needsPerson(given), awaitsPerson(given), stackHealth(given), isSynced(given)]).toEqual([
      true,
      false,
      'Degraded',
      true,
    ])
    expect(waitRefusal(given)).toBeUndefined()
    expect(stackConditions(given)).toMatchObject([{ type: 'Ready', status: true }, {}, {}, { status: false }])
  })

  test.each([
    ['everything works', {}, true, 'Healthy'],
    ['nothing is applied', { applied: null }, false, 'Missing'],
    ['nobody checked it', { checkedAt: null }, false, 'Unknown'],
  ] as const)('the condition Healthy says if %s', (_, stack, status, reason) => {
    expect(stackConditions(input({ stack })).at(-1)).toMatchObject({ type: 'Healthy', status, reason })
  })

  test('a plan without its approval reasons names no digest', () => {
    const [blocker] = stackBlockers(input(needsApproval))
    expect(blocker!.next.map(({ cli }) => cli)).toEqual(['gitmoor plan boards'])
  })
})

describe('the sync status', () => {
  test.each(
    Object.entries({
      'is Synced at the newest revision': [{}, 'Synced'],
      'is OutOfSync while a plan of the applied revision needs approval': [needsApproval, 'OutOfSync'],
      'is OutOfSync after a cancelled run of the applied revision': [cancelled, 'OutOfSync'],
      'is OutOfSync while the pinned revision is not applied': [
        { stack: { pinned: { ...pinned.pinned, revision: 'stable@sha1:00' } } },
        'OutOfSync',
      ],
      'is Drifted while the plan that corrects the drift needs approval': [
        { ...needsApproval, stack: { drifted: 1 } },
        'Drifted',
      ],
      'is Unknown until a run applies changed settings': [{ last: queued, stack: { checkedAt: null } }, 'Unknown'],
    } satisfies Record<string, readonly [Given, string]>),
  )('%s', (_, [given, sync]) => {
    expect(syncState(input(given))).toBe(sync)
  })
})

test('a cancelled run is no failure, and the stack needs a person', () => {
  const given = input(cancelled)
  expect(stackHealth(given)).toBe('Healthy')
  expect(needsPerson(given)).toBe(true)
  expect(stackConditions(given)).toMatchObject([
    { type: 'Ready', status: false, reason: 'Cancelled', message: 'ann cancelled the run.' },
    { type: 'Reconciling', status: false },
    { type: 'Stalled', status: true, reason: 'Cancelled' },
    { type: 'Healthy', status: true },
  ])
  expect(nextText(stackBlockers(given)[0]!.next)).toBe(
    'Push a new revision or change a setting: gitmoor applies it at once. Or sync: gitmoor sync boards',
  )
})

describe('waiting for a stack', () => {
  const commit = 'a'.repeat(40)
  const newer = 'b'.repeat(40)
  const released = `stable@sha1:${commit}`
  const followed: Partial<Stack> = {
    observed: { revision: released, content: 'c' },
    applied: { ...synced.applied!, revision: released },
  }
  const following = ({ stack, ...more }: Given = {}): StatusInput =>
    input({ last: { ...applied, revision: released }, ...more, stack: { ...followed, ...stack } })
  const beyond = (reason: MoveBlockerReason, to = newer): Given => ({
    blockedMoves: [
      { reason, message: 'It is blocked.', since: at, until: null, next: [], commit: to, blocksRuns: false },
    ],
  })

  test.each(
    Object.entries({
      'ends at the newest revision': [{}, undefined],
      'ends at the newest revision although the stack is pinned there': [
        { stack: { pinned: { ...pinned.pinned, revision: released } } },
        undefined,
      ],
      'ends at the newest commit of a pinned channel': [beyond('ChannelPinned', commit), undefined],
      'ends at a named commit although a newer one was vetoed': [beyond('MoveVetoed'), commit.slice(0, 7)],
    } satisfies Record<string, readonly [Given, string | undefined]>),
  )('%s', (_, [given, revision]) => {
    expect(isSynced(following(given), revision)).toBe(true)
  })

  test.each(
    Object.entries({
      'continues while a run is in progress': { last: queued },
      'continues while a move waits for a time': beyond('MoveWaiting'),
      'continues while a window blocks the run': awaitingWindow,
      'continues until changed settings are applied': { stack: { checkedAt: null } },
      'continues while polls fail, whatever the last run did': {
        pollFailure: { ...failure, reason: 'FetchFailed' },
        stack: { failure: { ...failure, retry: 'change' } },
      },
    } satisfies Record<string, Given>),
  )('%s', (_, given) => {
    expect(isSynced(following(given))).toBe(false)
    expect(waitRefusal(following(given))).toBeUndefined()
  })

  test.each(
    Object.entries({
      'for a plan of other settings that needs approval': [needsApproval, 'needs-approval', 'stacks/needs-approval'],
      'for a pinned channel': [beyond('ChannelPinned'), 'needs-approval', 'source/not-released'],
      'for a vetoed move': [beyond('MoveVetoed'), 'needs-approval', 'source/not-released'],
      'for a queued run while nothing is released': [
        awaitingRelease('MoveVetoed'),
        'needs-approval',
        'source/not-released',
      ],
      'for a suspended stack at the newest revision': [{ stack: suspended }, 'locked', 'stacks/suspended'],
      'for a cancelled run': [cancelled, 'cancelled', 'stacks/cancelled'],
    } satisfies Record<string, readonly [Given, string, string]>),
  )('is refused %s', (_, [{ last, ...given }, status, code]: readonly [Given, string, string]) => {
    const refused = following(
      last === undefined ? given : { ...given, last: { ...last, revision: last.revision && released } },
    )
    expect(isSynced(refused)).toBe(false)
    expect(waitRefusal(refused)).toMatchObject({ status, code })
  })

  test('names the commit at which a blocked move keeps the stack', () => {
    expect(waitRefusal(following(beyond('MoveVetoed')))?.message).toBe('boards stays at stable@aaaaaaa: It is blocked.')
  })
})
