import { edit } from '../../src/model/stacks/blocker.js'
import { PassThrough } from 'node:stream'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/model/stacks/run.js'
import { InvalidPackage, Refused, Rejected, type RefusedStatus } from '../../src/model/errors.js'
import type { Ask } from '../ask.js'
import type { RunRow, RunView } from '../../src/views/run.js'
import type { StackView } from '../../src/views/stack.js'
import { deferred } from '../api/deferred.js'
import { sampleToken } from '../api/request-api.js'
import { sampleExplanation, samplePlan, sampleResource, sampleRun, sampleStack } from '../api/sample-views.js'
import { makeDirectory, openTestShell, typeLine, type TestShell, type Typed } from './type-command.js'

const ended = (outcome: Outcome, code?: string): RunView => ({
  ...sampleRun,
  outcome,
  problems: code === undefined ? [] : [{ severity: 'error', code, message: 'It went wrong.', hint: 'Do this.' }],
})

describe('the exit code shows the result of a run:', () => {
  const cases: Readonly<Record<string, readonly [RunView, number]>> = {
    applied: [ended('applied'), 0],
    unchanged: [ended('unchanged'), 0],
    'failed at the source': [ended('failed', 'source/unavailable'), 5],
    'failed at the target': [ended('failed', 'platform/rejected'), 6],
    'undone after the target failed': [ended('undone', 'platform/rejected'), 6],
    'a package with errors': [ended('failed', 'graph/cycle'), 1],
    'claimed by another stack': [ended('failed', 'plan/claimed'), 7],
    'without a secret that it needs': [ended('failed', 'stacks/value-unreadable'), 1],
    cancelled: [ended('cancelled'), 12],
    'needs approval': [{ ...sampleRun, phase: 'needs-approval', outcome: null, plan: samplePlan }, 7],
  }
  test.each(Object.entries(cases))('%s', async (_, [run, code]) => {
    const typed = await (await openTestShell({ getRun: async () => run })).type('sync boards')
    expect(typed.code).toBe(code)
    if (run.problems.length > 0) expect(typed.stderr).toContain('error: It went wrong.\n  next: Do this.')
  })

  test('a cancelled run says whether it had begun to change something', async () => {
    const begun = await openTestShell({ getRun: async () => ended('cancelled') })
    expect((await begun.type('sync boards')).stdout).toContain('Completed changes are kept.')
    const queued = await openTestShell({ getRun: async () => ({ ...ended('cancelled'), changes: null }) })
    expect((await queued.type('sync boards')).stdout).toContain('Nothing was changed.')
  })

  test('an undone run says whether all is as before', async () => {
    const whole = await openTestShell({ getRun: async () => ended('undone', 'platform/rejected') })
    expect((await whole.type('sync boards')).stdout).toContain('was undone: the target is as it was before.')
    const left = ['engine/undo-failed', 'engine/undo-skipped'].map((code) => ended('undone', code).problems[0]!)
    const part = await openTestShell({ getRun: async () => ({ ...ended('undone'), problems: left }) })
    expect((await part.type('sync boards')).stdout).toContain('was undone in part: 2 resources could not be undone.')
  })

  test('an undo that its target does not carry out ends the wait', async () => {
    const blocker = { reason: 'Undoing', message: 'It is not undone yet.', since: null, until: null, next: [] } as const
    const undoing = { ...sampleRun, phase: 'undoing', outcome: null, blockers: [blocker] } as const
    const shell = await openTestShell({ getRun: async () => undoing })
    const { code, stdout } = await shell.type('sync boards')
    expect([code, stdout]).toEqual([6, expect.stringContaining('is undoing. It is not undone yet.')])
  })

  test('a plan that needs approval is shown with what to type next', async () => {
    const shell = await openTestShell({
      getRun: async () => ({ ...sampleRun, phase: 'needs-approval', outcome: 'needs-approval', plan: samplePlan }),
    })
    const { stdout } = await shell.type('sync boards')
    expect(stdout).toContain('! data-loss: Removing Bucket/old loses its data.')
    expect(stdout).toContain('next: gitmoor approve boards 3fa9c0d1e2b4')
  })

  const wait = {
    reason: 'Window',
    message: 'A sync window denies writes.',
    since: null,
    until: '2026-01-05T06:00:00.000Z',
    next: [{ verb: 'requestSync', args: { stack: 'boards' }, cli: 'gitmoor sync boards', purpose: '' }],
  } as const
  test('a synced stack whose newest move is blocked says so', async () => {
    const message = 'Move 5 of stable to 82d6805 needs approval.'
    const next = [{ verb: 'channel approve', args: {}, cli: 'gitmoor channel approve 5', purpose: 'Release it' }]
    const status = {
      ...sampleStack.status,
      state: 'Needs approval',
      reason: 'MoveNeedsApproval',
      message,
      next,
    } as const
    const blocked = { ...sampleStack, status }
    const shell = await openTestShell({
      getRun: async () => ended('unchanged'),
      getStack: async () => blocked,
      waitForStack: async () => blocked,
    })
    for (const [line, code] of [
      ['sync boards', 7],
      ['wait boards', 0],
    ] as const)
      expect(await shell.type(line)).toMatchObject({
        code,
        stderr: `${message}\n  next: Release it: gitmoor channel approve 5\n`,
      })
    expect(await shell.type('sync boards --json')).toMatchObject({ code: 7, stderr: '' })
  })

  test('a sync of a stack that is rolled back says so, also if its ref has a newer commit', async () => {
    const message = 'Pinned at stable@2f1c9ab (run 12) by ann.'
    const next = [{ verb: 'unpin', args: {}, cli: 'gitmoor unpin boards', purpose: 'End it' }]
    const status = { ...sampleStack.status, state: 'Pinned', reason: 'Pinned', message, next } as const
    const stack = { ...sampleStack, sync: 'OutOfSync', status } as const
    const shell = await openTestShell({ getRun: async () => ended('unchanged'), getStack: async () => stack })
    expect(await shell.type('sync boards')).toMatchObject({
      code: 0,
      stderr: `${message}\n  next: End it: gitmoor unpin boards\n`,
    })
  })

  test('a missing secret is said once, and hides neither a pin of the channel nor a veto', async () => {
    const message = 'The package uses the secret "slack", which is neither on the target nor given.'
    const secret = { severity: 'warning', code: 'stacks/missing-secret', message, hint: 'Set it.' } as const
    const step = (cli: string) => ({ verb: 'channel', args: {}, cli, purpose: 'Follow it again' })
    const at = { since: null, until: null }
    const blockers = [
      { reason: 'ChannelPinned', message: 'The channel is pinned.', next: [step('gitmoor channel unpin main')], ...at },
      { reason: 'MoveVetoed', message: 'Move 5 is vetoed.', next: [step('gitmoor channel approve 5')], ...at },
      { reason: 'SecretMissing', message, next: [edit('Set it.')], ...at },
    ] as const
    const status = { ...sampleStack.status, state: 'Degraded', ...blockers[2], also: ['ChannelPinned', 'MoveVetoed'] }
    const stack = { ...sampleStack, status } as typeof sampleStack
    const shell = await openTestShell({
      getRun: async () => ({ ...ended('unchanged'), problems: [secret] }),
      getStack: async () => stack,
      explainStack: async () => ({ ...sampleExplanation, blockers }),
      listStacks: async () => ({ items: [stack], next: null }),
    })
    expect((await shell.type('sync boards')).stderr).toBe(
      `warning: ${message}\n  next: Set it.\n` +
        'The channel is pinned.\n  next: Follow it again: gitmoor channel unpin main\n' +
        'Move 5 is vetoed.\n  next: Follow it again: gitmoor channel approve 5\n',
    )
    expect((await shell.type('sync --all')).stderr).toMatch(/boards: Move 5 is vetoed\.\n {2}next: .* approve 5\n$/)
  })

  test.each(['MoveRefused', 'MoveVetoed'])('a sync that succeeded ends with 7 beside %s', async (reason) => {
    const status = { ...sampleStack.status, state: 'Pinned', reason: 'Pinned', also: [reason] } as const
    const shell = await openTestShell({
      getRun: async () => ended('unchanged'),
      getStack: async () => ({ ...sampleStack, status }),
    })
    expect((await shell.type('sync boards')).code).toBe(7)
  })

  test.each(['ChannelPinned', 'MoveWaiting', 'Pinned'])('a sync that succeeded ends with 0 beside %s', async (also) => {
    const stack = { ...sampleStack, status: { ...sampleStack.status, also: [also] } }
    const shell = await openTestShell({ getRun: async () => ended('unchanged'), getStack: async () => stack })
    expect((await shell.type('sync boards')).code).toBe(0)
  })

  const queued: RunView = { ...sampleRun, phase: 'queued', outcome: null, plan: null, changes: null, blockers: [wait] }

  test.each([
    ['stack push boards -u https://git.example/a.yml', wait.until, 0],
    ['stack push boards -u https://git.example/a.yml', null, 7],
    ['stack create boards --repo https://git.example/a', null, 7],
  ])('the command does not wait for a run that a window blocks: %s, until %s: %i', async (line, until, code) => {
    const answers = [1, 2].map(() => ({ ...queued, blockers: [{ ...wait, until }] }))
    const typed = await (await openTestShell({ getRun: async () => answers.pop() ?? ended('failed') })).type(line)
    expect(typed).toMatchObject({
      code,
      stdout: 'boards: run 12 is queued. A sync window denies writes.\n  next: gitmoor sync boards\n',
    })
  })

  test('a stack that is created and not healthy in time ends so, after the result of its run', async () => {
    const message = 'boards is not healthy after 5 s. Lamp/door is unhealthy. It is dark.'
    const waits: unknown[] = []
    const shell = await openTestShell({
      getRun: async () => ended('applied'),
      waitForStack: async (_, given) => {
        waits.push(given)
        throw new Refused('timeout', message, { code: 'stacks/unhealthy', hint: 'See why.' })
      },
    })
    const line = 'stack create boards --repo https://git.example/a --wait healthy --timeout 5s'
    expect(await shell.type(line)).toMatchObject({
      code: 11,
      stdout: expect.stringMatching(/^boards: applied/m) as string,
      stderr: `error: ${message}\n  next: See why.\n`,
    })
    expect(waits).toEqual([{ for: 'healthy', timeoutMs: 5_000 }])
    const json = await shell.type(`${line} --json`)
    expect([json.code, JSON.parse(json.stdout), JSON.parse(json.stderr)]).toMatchObject([
      11,
      { run: { outcome: 'applied' } },
      { error: { code: 'stacks/unhealthy' } },
    ])
  })

  test('the health of a stack whose run failed is not waited for', async () => {
    const shell = await openTestShell({ getRun: async () => ended('failed', 'source/ref-missing') })
    expect((await shell.type('sync boards --wait healthy')).code).toBe(5)
    expect(shell.calls.map(({ verb }) => verb)).not.toContain('waitForStack')
  })

  test('the command does not wait for a run that a channel blocks', async () => {
    const blockers = [
      {
        reason: 'Channel' as const,
        message: 'Move 13 of stable is refused.',
        since: null,
        until: null,
        next: [edit('Sign it by ops')],
      },
    ]
    const typed = await (
      await openTestShell({ getRun: async () => ({ ...queued, blockers }) })
    ).type('stack create boards --repo https://git.example/a')
    expect(typed).toMatchObject({
      code: 7,
      stdout: 'boards: run 12 is queued. Move 13 of stable is refused.\n  next: Sign it by ops\n',
    })
  })

  test.each([
    ['failed', ended('failed', 'source/ref-missing'), 5],
    ['needs approval', { ...ended('needs-approval'), phase: 'needs-approval' as const, plan: samplePlan }, 7],
    ['waits for a window that opens', { ...queued, blockers: [wait] }, 0],
    ['waits for a window that never opens', { ...queued, blockers: [{ ...wait, until: null }] }, 7],
    ['waits for a push', { ...queued, blockers: [{ ...wait, reason: 'PackageMissing' as const, until: null }] }, 5],
  ])('changed settings whose run %s exit so, and are printed', async (_, run, code) => {
    const shell = await openTestShell({ getRun: async () => run })
    const typed = await shell.type('stack set boards --ref beta')
    expect(typed).toMatchObject({ code, stdout: expect.stringContaining('"stable" → "beta"\n') as string })
    expect(typed.stdout.includes('Plan of the next run:')).toBe(run.phase === 'queued')
    expect(JSON.parse((await shell.type('stack set boards --ref beta --json')).stdout)).toMatchObject({
      changes: [{ path: 'sources[0].ref' }],
      run: { id: run.id },
    })
  })

  test.each([
    ['is suspended', { suspended: { why: 'x', by: 'ann', at: sampleRun.createdAt, until: null } }],
    [
      'waits for its first push',
      {
        revision: { ...sampleStack.revision, observed: null },
        spec: { ...sampleStack.spec, sources: [{ kind: 'inline' as const }] },
      },
    ],
  ])('changed settings of a stack that %s are not waited for', async (_, changed) => {
    const updateStack = async () => ({
      stack: { ...sampleStack, ...changed },
      changes: [],
      plan: samplePlan,
      run: '13',
    })
    const shell = await openTestShell({ updateStack })
    const { code, stdout } = await shell.type('stack set boards --max-deletes 7')
    expect([code, shell.calls.map(({ verb }) => verb)]).toEqual([0, ['getStack', 'updateStack']])
    expect(stdout).toContain('Plan of the next run:')
  })

  test.each([
    ['begins by itself', wait.until, 0],
    ['needs a person', null, 10],
  ])('the command does not wait for a run whose stalled dependency %s', async (_, until, code) => {
    const blockers = [{ ...wait, reason: 'Dependencies' as const, until, stalled: true as const }]
    const shell = await openTestShell({ getRun: async () => ({ ...queued, blockers }) })
    const typed = await shell.type('stack create boards --repo https://git.example/a')
    expect(typed).toMatchObject({ code, stdout: expect.stringMatching(/^boards: run 12 is queued\./) as string })
  })

  test('the command waits for a run that other stacks block, and prints the blocker once', async () => {
    const message = 'It waits for base to be synced and healthy.'
    const answers = [1, 2].map(() => ({
      ...queued,
      blockers: [{ ...wait, reason: 'Dependencies' as const, message, until: null }],
    }))
    const shell = await openTestShell({ getRun: async () => answers.pop() ?? ended('applied') })
    const typed = await shell.type('stack push boards -u https://git.example/a.yml', { terminal: true })
    expect(typed.code).toBe(0)
    expect(typed.stderr.split(message)).toHaveLength(2)
  })

  test('a manual run prints the blocker that it overrode', async () => {
    const run = ended('applied')
    const shell = await openTestShell({
      getRun: async () => ({ ...run, cause: { ...run.cause, requested: true, overrode: wait.message } }),
    })
    expect((await shell.type('sync boards')).stderr).toContain(
      'This run overrode a blocker: A sync window denies writes.',
    )
  })

  test('the command waits for the newer run that replaced its run', async () => {
    const shell = await openTestShell({
      getRun: async (_, id) => (id === '12' ? ended('superseded') : { ...ended('applied'), id }),
      getStack: async () => ({ ...sampleStack, lastRun: { ...sampleRun, id: '13' } }),
    })
    const typed = await shell.type('sync boards --json')
    expect(typed.code).toBe(0)
    expect(JSON.parse(typed.stdout).id).toBe('13')
  })
})

describe('the exit code shows why the agent refused:', () => {
  const codes: Readonly<Record<RefusedStatus, number>> = {
    usage: 3,
    auth: 4,
    source: 5,
    target: 6,
    'needs-approval': 7,
    stale: 8,
    'not-found': 9,
    locked: 10,
    timeout: 11,
    cancelled: 12,
    conflict: 1,
    failed: 1,
  }
  test.each(Object.entries(codes))('%s: %i', async (status, code) => {
    const refusal = new Refused(status as RefusedStatus, 'It is not possible.', { hint: 'Do this.' })
    const shell = await openTestShell({ getStack: async () => Promise.reject(refusal) })
    expect(await shell.type('stack get boards')).toEqual({
      code,
      stdout: '',
      stderr: 'error: It is not possible.\n  next: Do this.\n',
    })
    const typed = await shell.type('--json stack get boards')
    expect(typed).toMatchObject({ code, stdout: '' })
    expect(JSON.parse(typed.stderr)).toEqual({
      error: {
        status,
        code: `refused/${status}`,
        message: 'It is not possible.',
        hint: 'Do this.',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      },
    })
  })

  test('a wrong token, and how to pass the right one to the command line', async () => {
    const { url } = await openTestShell()
    const typed = await typeLine('stack list', { environment: { GITMOOR_URL: url, GITMOOR_TOKEN: 'wrong' } })
    expect(typed).toMatchObject({ code: 4, stdout: '' })
    expect(typed.stderr).toBe(
      'error: The token is wrong.\n  next: Set GITMOOR_TOKEN or pass --token-file FILE. ' +
        'The token is in agent.json in the data directory of the agent.\n',
    )
  })

  test('the invalid field of a resource as it was typed', async () => {
    const problem = {
      severity: 'error',
      code: 'kinds/unknown-field',
      message: 'Bucket/raw: there is no field "x".',
    } as const
    const shell = await openTestShell({
      editResource: async () =>
        Promise.reject(
          new InvalidPackage([{ ...problem, field: 'desired.retentionRules[0].x' }], 'stacks/invalid-resource'),
        ),
    })
    const { stderr } = await shell.type('resource edit Bucket/raw --set retentionRules[0].x=1')
    expect(stderr).toBe('error: Bucket/raw: there is no field "x".\n  retentionRules[0].x\n')
  })

  test('an internal error names the request id, which is in the log of the agent', async () => {
    const shell = await openTestShell({ getStack: async () => Promise.reject(new Error('inner')) })
    const { code, stderr } = await shell.type('stack get boards')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^error: Internal error\.\n {2}requestId: [0-9a-f-]{36}\n {2}next: /)
  })
})

describe('the name of something that does not exist', () => {
  const unknown = (given: string, suggestion: string): Partial<Ask> => {
    const refuse = async (): Promise<never> => {
      throw new Refused('not-found', `There is no ${given}.`, { hint: `Did you mean "${suggestion}"?`, suggestion })
    }
    return { requestSync: refuse, createStack: refuse, listMoves: refuse, getStack: refuse }
  }

  test.each([
    ['sync bords --no-wait', 'bords', 'boards', 'gitmoor sync boards --no-wait'],
    ['stack get stak', 'stak', 'stack', 'gitmoor stack get stack'],
    ['channel log stabel', 'stabel', 'stable', 'gitmoor channel log stable'],
    [
      'stack create a --repo https://h/a --target loca',
      'loca',
      'local',
      'gitmoor stack create a --repo https://h/a --target local',
    ],
  ])('is answered with the corrected command: %s', async (line, given, meant, command) => {
    const { code, stderr } = await (await openTestShell(unknown(given, meant))).type(line)
    expect([code, stderr]).toEqual([
      9,
      `error: There is no ${given}.\n  next: Did you mean "${meant}"? Type: ${command}\n`,
    ])
  })

  test('is answered without a command if no word of the line is like it', async () => {
    const { stderr } = await (await openTestShell(unknown('x', 'boards'))).type('sync something')
    expect(stderr).toBe('error: There is no x.\n  next: Did you mean "boards"?\n')
  })

  test('is answered with the existing one with --json', async () => {
    const { stderr } = await (await openTestShell(unknown('bords', 'boards'))).type('sync bords --json')
    expect(JSON.parse(stderr)).toMatchObject({ error: { suggestion: 'boards' } })
  })
})

describe('an invalid command line exits with 3 and suggests a correction:', () => {
  test.each([
    ['snyc boards', 'Did you mean "sync"? Type: gitmoor sync boards\n'],
    ['veto stable', 'Type: gitmoor channel veto stable\n'],
    ['plan boards --markdown', 'Type: gitmoor plan boards -o markdown\n'],
    ['stack lst', 'Did you mean "list"? Type: gitmoor stack list\n'],
    ['sync boards --no-wiat', 'Did you mean "--no-wait"? Type: gitmoor sync boards --no-wait\n'],
    [
      'stack create boards --repo x --drift corect',
      'error: Invalid value "corect" for --drift. Allowed choices are correct, report, ignore.\n' +
        '  next: Did you mean "correct"? Type: gitmoor stack create boards --repo x --drift correct\n',
    ],
    [
      'stack set boards --max-deletes abc',
      'error: Invalid value "abc" for --max-deletes. It must be a whole number.\n' +
        '  next: See the usage: gitmoor stack set --help\n',
    ],
    ['unpin', "Missing required argument 'NAME'"],
    [
      'sync',
      'Name a stack, or pass --all, -l SELECTOR or --fleet FLEET.\n  next: To list the stacks: gitmoor stack list\n',
    ],
    ['sync boards more', 'Expected 1 argument but got 2.\n  next: For several stacks, pass -l, --fleet or --all.\n'],
    ['stack list more', 'next: See the usage: gitmoor stack list --help\n'],
    ['wait boards --timeout soon', '--timeout "soon" is not a valid duration'],
    ['wait boards --revision 2f1c9a', '--revision "2f1c9a" is too short.\n  next: Write 7 or more digits'],
    ['rollback boards latest', '"latest" is not the number of a run.\n  next: List its runs: gitmoor history boards\n'],
    ['wait boards --timeout 25h', '--timeout "25h" is too long: at most 1d.\n'],
    ['suspend boards --why x --for 999ms', '--for "999ms" is too short: at least 1s.\n'],
    ['suspend boards --why x --for 3651d', '--for "3651d" is too long: at most 3650d.\n'],
    ['suspend boards --why=', '--why must not be empty.'],
    ['suspend boards', 'error: The option --why is required.\n  next: gitmoor suspend boards --why "REASON"\n'],
    ['rollback boards', 'error: No run of boards given.\n'],
    ['channel veto stable latest', 'next: gitmoor channel veto stable latest --why "REASON"\n'],
    ['resource create', 'next: gitmoor resource create --file FILE\n'],
    [
      'channel approve stable --why ok',
      'For the newest one: gitmoor channel approve stable latest --why ok\n  next: To list',
    ],
    ['channel approve 4 --why TEXT', '--why must be a reason, not the placeholder TEXT.'],
    ['channel approve 4 --why REASON', '--why must be a reason, not the placeholder REASON.'],
    ['channel approve latest --why ok', 'Name it: gitmoor channel approve stable latest --why ok\n'],
    ['help snyc', 'Did you mean "sync"? Type: gitmoor help sync\n'],
    ['help stack lst', 'Did you mean "list"? Type: gitmoor help stack list\n'],
    ['stack lst --help', 'Did you mean "list"? Type: gitmoor stack list --help\n'],
    ['help nothing', "Unknown command 'nothing'"],
    ['stack create boards', '--repo URL, --url URL, --dir DIR, --inline, -f FILE'],
    ['stack create boards --repo x -f y', 'cannot be used with'],
    ['sync boards --timeout 5m', '--timeout needs --wait healthy.'],
    ['stack create boards --repo x --no-wait --timeout 5m', '--timeout needs --wait healthy.'],
    ['stack create boards --inline --wait healthy', 'gitmoor wait boards --for healthy'],
    ['sync boards --wait done', 'Allowed choices are synced, healthy.'],
    ['history boards --limit none', 'whole number'],
    ['apply nowhere.plan', 'Cannot read nowhere.plan: no such file or directory.'],
  ])('%s', async (line, words) => {
    const typed = await (await openTestShell()).type(line)
    expect(typed).toMatchObject({ code: 3, stdout: '' })
    expect(typed.stderr).toContain(words)
    expect(typed.stderr).toMatch(/^error: /)
  })

  test.each(['', 'stack'])('without a command, the help is printed: %j', async (line) => {
    const typed = await typeLine(line, {})
    expect(typed).toMatchObject({ code: 3, stdout: '' })
    expect(typed.stderr).toContain('Usage: gitmoor')
  })
})

test.each([
  ['list', 'stack list'],
  ['status --json', 'stack list --json'],
  ['list stacks', 'stack list'],
  ['get boards', 'stack get boards'],
  ['get stacks', 'stack list'],
  ['get fleets --json', 'fleet list --json'],
  ['get channels', 'channel list'],
  ['get targets', 'target list'],
  ['logs boards', 'history boards'],
  ['status boards', 'explain boards'],
  ['delete boards', 'stack delete boards'],
  ['version', '--version'],
  ['-v', '--version'],
  ['reconcile', 'sync --all'],
  ['reconcile boards', 'sync boards'],
  ['reconcile -l team=ops', 'sync -l team=ops'],
  ['destroy', 'stack delete NAME --uninstall'],
  ['destroy boards', 'stack delete --uninstall boards'],
  ['stack import boards Bucket/raw', 'stack adopt boards Bucket/raw --id ID'],
])('a verb of another tool is answered with the command to type: %s', async (line, command) => {
  const { code, stderr } = await (await openTestShell()).type(line)
  expect(code).toBe(3)
  expect(stderr).toContain(`Type: gitmoor ${command}`)
})

const sampleVeto = { move: '7', by: 'ann', why: 'wrong chart' }

test('a rollback without a run names the last ones that applied a package', async () => {
  const run = (id: string, commit: string, outcome: Outcome): RunRow => ({
    ...sampleStack.lastRun!,
    id,
    outcome,
    revision: `stable@sha1:${commit.repeat(40)}`,
    createdAt: `2026-11-21T04:00:0${id}Z`,
  })
  const vetoed = { ...run('2', 'a', 'applied'), veto: sampleVeto }
  const uninstall = run('4', 'c', 'applied')
  const items = [run('6', 'd', 'applied'), run('5', 'c', 'failed'), uninstall, run('3', 'b', 'applied'), vetoed]
  const shell = await openTestShell({
    listRuns: async () => ({ items, next: null }),
    getRun: async (_, id) => ({ ...sampleRun, id, intent: id === uninstall.id ? 'uninstall' : 'sync' }),
  })
  const { code, stderr } = await shell.type('rollback boards')
  expect(code).toBe(3)
  expect(stderr).toBe(
    'error: No run of boards given.\n' +
      '  next: To stable@bbbbbbb of 2026-11-21 04:00:03Z: gitmoor rollback boards 3. ' +
      'To stable@aaaaaaa of 2026-11-21 04:00:02Z (vetoed): gitmoor rollback boards 2\n',
  )
})

test.each([
  [['applied'], null, 'There is nothing to go back to, because only run 1 applied something: gitmoor history boards'],
  [['failed'], null, 'It has not applied anything yet: gitmoor history boards'],
  [['applied'], '1', 'List the runs: gitmoor history boards'],
] as const)('a rollback of a stack without an earlier run says so: %j, %j', async ([outcome], next, hint) => {
  const items = [{ ...sampleStack.lastRun!, id: '1', outcome }]
  const { code, stderr } = await (
    await openTestShell({ listRuns: async () => ({ items, next }) })
  ).type('rollback boards')
  expect([code, stderr]).toEqual([3, `error: No run of boards given.\n  next: ${hint}\n`])
})

test.each(['stack create boards --repo ./demoo', 'stack set boards --dir demoo'])(
  'a directory that does not exist here is named, although the agent does not say so: %s',
  async (line) => {
    const refuse = (): never => {
      throw new Rejected('/x/demoo is not below a directory of allow.directories.', {
        code: 'source/directory-not-allowed',
        hint: 'List a directory above it.',
      })
    }
    const shell = await openTestShell({ createStack: async () => refuse(), updateStack: async () => refuse() })
    const missing = await shell.type(line)
    expect(missing).toMatchObject({ code: 3, stdout: '' })
    expect(missing.stderr).toMatch(/^error: There is no directory \S*demoo\.\n {2}next: Check the path\.\n$/)
    await mkdir(join(shell.directory, 'demoo'))
    expect((await shell.type(line)).stderr).toContain('is not below a directory of allow.directories')
  },
)

describe('the address of the agent is read from:', () => {
  test('GITMOOR_URL with GITMOOR_TOKEN', async () => {
    const { url } = await openTestShell()
    expect((await typeLine('stack list', { environment: { GITMOOR_URL: url, GITMOOR_TOKEN: sampleToken } })).code).toBe(
      0,
    )
  })

  test('GITMOOR_URL with --token-file, after the verb', async () => {
    const { url, directory } = await openTestShell()
    await writeFile(join(directory, 'token'), `${sampleToken}\n`)
    const environment = { GITMOOR_URL: url, GITMOOR_TOKEN: 'wrong' }
    expect((await typeLine('stack list --token-file token', { environment, cwd: directory })).code).toBe(0)
    expect((await typeLine('stack list', { environment, cwd: directory })).code).toBe(4)
  })

  test('--data, before and after the verb, else ./.gitmoor', async () => {
    const { directory } = await openTestShell()
    expect((await typeLine(`stack list --data ${directory}`, {})).code).toBe(0)
    expect((await typeLine(`--data ${directory} stack list`, {})).code).toBe(0)
    const cwd = await makeDirectory()
    await mkdir(join(cwd, '.gitmoor'))
    expect((await typeLine('stack list', { cwd })).stderr).toContain(`No agent uses the data directory ${cwd}/.gitmoor`)
  })

  test('GITMOOR_URL, which is refused without a token', async () => {
    const typed = await typeLine('stack list', { environment: { GITMOOR_URL: 'http://127.0.0.1:1' } })
    expect(typed.code).toBe(4)
    expect(typed.stderr).toContain('GITMOOR_TOKEN')
  })

  test('GITMOOR_URL, which is refused with a password, without repeating it', async () => {
    const typed = await typeLine('stack list', {
      environment: { GITMOOR_URL: 'http://ann:pass@127.0.0.1:1', GITMOOR_TOKEN: 'x' },
    })
    expect(typed.code).toBe(3)
    expect(typed.stderr).not.toContain('pass@')
  })

  test('agent.json: if the agent is gone, the error has its pid, address and start command', async () => {
    const data = await makeDirectory()
    // No process has this id: it is beyond the largest that Linux gives.
    await writeFile(join(data, 'agent.json'), JSON.stringify({ url: 'http://127.0.0.1:1', token: 'x', pid: 4_194_305 }))
    const typed = await typeLine(`stack list --data ${data}`, {})
    expect(typed.code).toBe(1)
    expect(typed.stderr).toContain(
      `The agent is not running: process 4194305 of ${join(data, 'agent.json')} has ended, and nothing answers at http://127.0.0.1:1 (the connection was refused).`,
    )
    expect(typed.stderr).toMatch(/next: gitmoor\.db was removed from its data directory: put it back/)
    expect(typed.stderr).toContain(`next: Then start it: gitmoor agent --data ${data}`)
    await writeFile(join(data, 'gitmoor.db'), '')
    const started = await typeLine(`stack list --data ${data}`, {})
    expect(started.stderr).toContain(`next: Start it: gitmoor agent --data ${data}`)
  })

  test.runIf(process.platform === 'linux')(
    'agent.json: if another process has the pid of the agent, the agent is not running',
    async () => {
      const data = await makeDirectory()
      await writeFile(join(data, 'gitmoor.db'), '')
      const facts = { url: 'http://127.0.0.1:1', token: 'x', pid: process.pid, startedAt: '2020-01-01T00:00:00.000Z' }
      await writeFile(join(data, 'agent.json'), JSON.stringify(facts))
      const { stderr } = await typeLine(`stack list --data ${data}`, {})
      expect(stderr).toContain(`The agent is not running: process ${process.pid} of`)
      expect(stderr).toContain(`next: Start it: gitmoor agent --data ${data}`)
      await writeFile(join(data, 'agent.json'), JSON.stringify({ ...facts, startedAt: new Date().toISOString() }))
      expect((await typeLine(`stack list --data ${data}`, {})).stderr).toContain(
        `its process ${process.pid} is running`,
      )
    },
  )

  test('agent.json: the start command has the configuration file of the agent that is gone', async () => {
    const data = await makeDirectory()
    await writeFile(join(data, 'gitmoor.db'), '')
    const config = '/etc/git moor.yaml'
    await writeFile(
      join(data, 'agent.json'),
      JSON.stringify({ url: 'http://127.0.0.1:1', token: 'x', pid: 4_194_305, config }),
    )
    const typed = await typeLine(`stack list --data ${data}`, {})
    expect(typed.stderr).toContain(`next: Start it: gitmoor agent --config '/etc/git moor.yaml' --data ${data}`)
  })

  test('agent.json: the start command has the file of an earlier agent, if the agent that is gone had none', async () => {
    const data = await makeDirectory()
    await writeFile(join(data, 'gitmoor.db'), '')
    const facts = { url: 'http://127.0.0.1:1', token: 'x', pid: 4_194_305, formerConfig: '/srv/my.yaml' }
    await writeFile(join(data, 'agent.json'), JSON.stringify(facts))
    const typed = await typeLine(`stack list --data ${data}`, {})
    expect(typed.stderr).toContain(`next: Start it: gitmoor agent --config /srv/my.yaml --data ${data}`)
  })

  test('agent.json: the start command is that of the last agent with a file, if the agent that is gone had none', async () => {
    const data = await makeDirectory()
    await writeFile(join(data, 'gitmoor.db'), '')
    const former = { config: '/srv/my.yaml', listen: '127.0.0.1:4471', directory: '/srv' }
    const facts = { url: 'http://127.0.0.1:1', token: 'x', pid: 4_194_305, listen: '127.0.0.1:1', former }
    await writeFile(join(data, 'agent.json'), JSON.stringify(facts))
    const typed = await typeLine(`stack list --data ${data}`, {})
    const start = `cd /srv && gitmoor agent --config /srv/my.yaml --listen 127.0.0.1:4471 --data ${data}`
    expect(typed.stderr).toContain(`next: Start it: ${start}\n`)
  })

  test('agent.json: the start command has the options and the directory of the agent that is gone', async () => {
    const data = await makeDirectory()
    await writeFile(join(data, 'gitmoor.db'), '')
    const options = { listen: '127.0.0.1:4471', log: 'json' }
    const facts = { url: 'http://127.0.0.1:1', token: 'x', pid: 4_194_305, ...options, directory: '/srv' }
    await writeFile(join(data, 'agent.json'), JSON.stringify({ ...facts, config: '/srv/my.yaml' }))
    const start = `gitmoor agent --config /srv/my.yaml --listen 127.0.0.1:4471 --log json --data ${data}`
    const typed = await typeLine(`stack list --data ${data}`, {})
    expect(typed.stderr).toContain(`next: Start it: cd /srv && ${start}\n`)
    expect((await typeLine(`stack list --data ${data}`, { cwd: '/srv' })).stderr).toContain(
      `next: Start it: ${start}\n`,
    )
    await writeFile(join(data, 'agent.json'), JSON.stringify(facts))
    expect((await typeLine(`stack list --data ${data}`, {})).stderr).toContain(
      `next: Start it: gitmoor agent --listen 127.0.0.1:4471 --log json --data ${data}\n`,
    )
  })

  test('agent.json, which does not say if the agent had a configuration file if it was removed or damaged', async () => {
    const data = await makeDirectory()
    await writeFile(join(data, 'gitmoor.db'), '')
    const note = `gitmoor agent --data ${data}\n  next: If it had a configuration file, add --config FILE.\n`
    expect((await typeLine(`stack list --data ${data}`, {})).stderr).toBe(
      `error: ${data} has no agent.json, so the address of its agent is unknown.\n` +
        `  next: Start the agent, or stop it first if it runs: ${note}`,
    )
    await writeFile(join(data, 'agent.json'), '{{')
    expect((await typeLine(`stack list --data ${data}`, {})).stderr).toContain(`Restart the agent: ${note}`)
  })

  test('agent.json, which is refused if it is invalid', async () => {
    const data = await makeDirectory()
    await writeFile(join(data, 'agent.json'), '{"url": 7, "config": "/srv/my.yaml"}')
    expect(await typeLine(`stack list --data ${data}`, {})).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Restart the agent: gitmoor agent --config /srv/my.yaml --data ${data}`),
    })
  })
})

describe('a person at the terminal:', () => {
  test('confirms before resources are deleted, and can decline', async () => {
    const shell = await openTestShell()
    const typed = await shell.type('stack delete boards --uninstall', { terminal: true, stdin: answering('no\n') })
    expect(typed.code).toBe(12)
    expect(typed.stderr).toContain('1 to create, 1 to update, 1 to remove')
    expect(typed.stderr).toContain('  ! Removing Bucket/old loses its data.')
    expect(typed.stderr).toContain('Delete 1 resource from target local, and delete boards?')
    expect(shell.calls.map((one) => one.verb)).toEqual(['previewPlan'])
  })

  test('can confirm', async () => {
    const shell = await openTestShell()
    const typed = await shell.type('stack delete boards --uninstall', { terminal: true, stdin: answering('yes\n') })
    expect(typed.code).toBe(0)
    expect(shell.calls[1]).toEqual({
      verb: 'deleteStack',
      args: ['boards', expect.objectContaining({ uninstall: samplePlan.digest })],
    })
  })

  test.each(['y', 'Y', 'YES', 'yes please', ''])(
    'answers %j and continues nothing: only yes counts',
    async (answer) => {
      const shell = await openTestShell()
      const typed = await shell.type('stack delete boards', { terminal: true, stdin: answering(`${answer}\n`) })
      expect(typed.code).toBe(12)
      expect(typed.stderr).toContain(' Nothing was changed: only the answer yes continues.\n')
      expect(shell.calls.map((one) => one.verb)).toEqual(['getStack'])
    },
  )

  test.each([
    ['no', 12, ['getStack']],
    ['yes', 0, ['getStack', 'deleteStack']],
  ])('is asked before a stack loses its resources: %s', async (answer, code, calls) => {
    const shell = await openTestShell()
    const typed = await shell.type('stack delete boards', { terminal: true, stdin: answering(`${answer}\n`) })
    expect(typed.code).toBe(code)
    expect(typed.stderr).toMatch(/Delete boards\? \d+ resources? stays? on target local without an owner, unless/)
    expect(shell.calls.map((one) => one.verb)).toEqual(calls)
  })

  test('is not asked with --yes', async () => {
    const shell = await openTestShell()
    expect(await shell.type('stack delete boards --yes', { terminal: true })).toMatchObject({ code: 0, stderr: '' })
    const { code, stdout } = await shell.type('stack delete boards --yes')
    expect(code).toBe(0)
    expect(stdout).toContain(
      'next: To manage them again, create the stack again: gitmoor stack create boards ' +
        '--repo https://git.example/boards --ref stable --path dashboards --target local\n',
    )
    expect(stdout).toContain('for example: gitmoor stack adopt boards Bucket/raw --id 00000000000000a1\n')
  })

  test('of a stack on a target of a fleet, names the new stack without the dot', async () => {
    const shell = await openTestShell({ getStack: async () => ({ ...sampleStack, name: 'boards.eu1' }) })
    const { stdout } = await shell.type('stack delete boards.eu1 --yes')
    expect(stdout).toContain('create the stack again: gitmoor stack create boards-eu1 --repo')
    expect(stdout).toContain('gitmoor stack adopt boards-eu1 Bucket/raw')
  })

  describe('a rollback:', () => {
    const rollback = (shell: TestShell, answer: string): Promise<Typed> =>
      shell.type('rollback boards 12', { terminal: true, stdin: answering(`${answer}\n`) })

    test.each([
      ['no', 12, ['getStack', 'getRun', 'previewPlan']],
      ['yes', 0, ['getStack', 'getRun', 'previewPlan', 'rollBack', 'getRun', 'getStack']],
    ])('sees the plan and is asked: %s', async (answer, code, calls) => {
      const shell = await openTestShell()
      const typed = await rollback(shell, answer)
      expect(typed.code).toBe(code)
      expect(typed.stderr).toContain('This plan will need approval: data-loss.')
      expect(typed.stderr).toContain('but not the data that was in them.')
      expect(typed.stderr).toContain('Roll back boards to run 12, and pin it there?')
      expect(shell.calls.map(({ verb }) => verb)).toEqual(calls)
      expect(shell.calls[2]).toEqual({ verb: 'previewPlan', args: ['boards', { run: '12' }] })
    })

    test('is asked without a plan while a run is in progress, because the plan would wait for it', async () => {
      const lastRun = { ...sampleRun, id: '15', phase: 'applying', outcome: null } as const
      const shell = await openTestShell({ getStack: async () => ({ ...sampleStack, lastRun }) })
      expect((await rollback(shell, 'no')).stderr).toContain('pin it there? Run 15 is applying, and ends.')
      expect(shell.calls.map(({ verb }) => verb)).toEqual(['getStack', 'getRun'])
    })

    const pinned = { run: '12', revision: `stable@sha1:${'a'.repeat(40)}`, by: 'ann', why: '' }

    test('to a vetoed commit is asked with the veto', async () => {
      const shell = await openTestShell({ getRun: async () => ({ ...sampleRun, veto: sampleVeto }) })
      const { stderr } = await rollback(shell, 'no')
      expect(stderr).toContain('Its commit was vetoed by ann (move 7): wrong chart.\n')
      expect(stderr).toContain('(move 7): wrong chart. Roll back boards to run 12, and pin it there?')
    })

    test('ends with the pin, the veto, and the command that ends the pin', async () => {
      const shell = await openTestShell({
        rollBack: async () => ({ ...sampleRun, etag: '"1"', veto: sampleVeto }),
        getStack: async () => ({ ...sampleStack, pinned }),
      })
      expect((await shell.type('rollback boards 12 --yes')).stderr).toContain(
        'Its commit was vetoed by ann (move 7): wrong chart.\n' +
          'boards is pinned at stable@aaaaaaa until a revision changes its package. Follow the ref again: gitmoor unpin boards\n',
      )
    })

    test('whose plan needs approval says that nothing is applied yet', async () => {
      const shell = await openTestShell({
        getRun: async () => ({ ...sampleRun, phase: 'needs-approval', outcome: 'needs-approval' }),
        getStack: async () => ({ ...sampleStack, pinned }),
      })
      const { code, stderr } = await shell.type('rollback boards 12 --yes')
      expect([code, stderr]).toEqual([
        7,
        'Nothing is applied yet. boards moves to stable@aaaaaaa once the plan is approved, and stays there until a ' +
          'revision changes its package. Follow the ref again: gitmoor unpin boards\n',
      ])
    })
  })

  test('declines by closing the input', async () => {
    const stdin = answering('')
    stdin.end()
    expect(
      (await (await openTestShell()).type('stack delete boards --uninstall', { terminal: true, stdin })).code,
    ).toBe(12)
  })

  describe('the deletion of a resource with data', () => {
    const message = 'Removing Bucket/raw deletes its data.'
    const deleting: Partial<Ask> = {
      getResource: async () => ({ ...sampleResource, needsConsent: message }),
      deleteResource: async (_, { consent }) => {
        if (consent !== 'Bucket/raw') throw new Refused('needs-approval', message, { code: 'stacks/data-loss' })
      },
    }

    test.each([
      ['needs confirmation, which can be given', 'resource delete Bucket/raw', 'yes\n', true, 0],
      ['needs confirmation, which can be declined', 'resource delete Bucket/raw', 'no\n', true, 12],
      ['is not confirmed by --yes', 'resource delete Bucket/raw --yes', 'yes\n', true, 7],
      ['is not confirmed by --yes without a terminal', 'resource delete Bucket/raw --yes', '', false, 7],
      ['needs both options without a terminal', 'resource delete Bucket/raw', '', false, 7],
      ['needs --yes, too', 'resource delete Bucket/raw --consent Bucket/raw', '', false, 7],
      ['is confirmed by both', 'resource delete Bucket/raw --yes --consent Bucket/raw', '', false, 0],
      ['is confirmed for a kind', 'resource delete Bucket/raw --yes --consent Bucket/*', '', false, 0],
      ['is not confirmed by another address', 'resource delete Bucket/raw --consent Bucket/other', 'yes\n', true, 7],
    ])('%s', async (_, line, answer, terminal, code) => {
      const shell = await openTestShell(deleting)
      const typed = await shell.type(line, { terminal, stdin: answering(answer) })
      expect(typed.code).toBe(code)
      expect(shell.calls.map(({ verb }) => verb)).toEqual(['getResource', ...(code === 0 ? ['deleteResource'] : [])])
      if (code === 7 && !line.endsWith('--consent Bucket/raw')) expect(typed.stderr).toContain(message)
    })
  })

  test('without a terminal, the error suggests --yes', async () => {
    const shell = await openTestShell()
    const typed = await shell.type('stack delete boards --uninstall')
    expect(typed.code).toBe(7)
    expect(typed.stderr).toContain('--yes')
    expect(shell.calls.map((one) => one.verb)).toEqual(['previewPlan'])
  })

  test('sees progress on stderr', async () => {
    const phases: RunView[] = [
      { ...sampleRun, phase: 'fetching', outcome: null },
      { ...sampleRun, phase: 'applying', outcome: null },
      sampleRun,
    ]
    const shell = await openTestShell({ getRun: async () => phases.shift()! })
    const typed = await shell.type(`sync boards --data ${shell.directory}`, {
      terminal: true,
      environment: { NO_COLOR: '1' },
    })
    expect(typed).toMatchObject({ code: 0, stderr: 'fetching …\napplying …\n' })
  })

  test('colours appear only on terminals without NO_COLOR', async () => {
    const shell = await openTestShell()
    const environment = { GITMOOR_DATA: shell.directory }
    expect((await shell.type('plan boards', { terminal: true, environment })).stdout).toContain('\x1b[32m+')
    expect(
      (await shell.type('plan boards', { terminal: true, environment: { ...environment, NO_COLOR: '1' } })).stdout,
    ).not.toContain('\x1b')
    expect((await shell.type('plan boards')).stdout).not.toContain('\x1b')
  })
})

describe('Ctrl-C:', () => {
  test('ends the command, not the run', async () => {
    const begun = deferred<void>()
    const shell = await openTestShell({
      getRun: (_, __, wait) =>
        new Promise((_resolve, reject) => {
          wait!.signal.addEventListener('abort', () => reject(wait!.signal.reason as Error))
          begun.resolve()
        }),
    })
    const typing = shell.type('sync boards')
    await begun.promise
    shell.interrupts.emit('SIGINT')
    const typed = await typing
    expect(typed.code).toBe(12)
    expect(typed.stderr).toContain('Run 12 of boards continues.')
    expect(typed.stderr).toContain('gitmoor cancel boards')
    expect(shell.interrupts.listenerCount('SIGINT')).toBe(0)
  })

  const begins = {
    'approve boards 3fa9c0d1e2b4': 'approvePlan',
    'sync boards': 'requestSync',
    'wait boards': 'waitForStack',
    'stack uninstall boards --yes --consent Bucket/*': 'uninstallStack',
    'stack delete boards --uninstall --yes --consent Bucket/*': 'deleteStack',
  } as const

  /** Ctrl-C while the agent has not answered the request. */
  async function interrupted(line: string, useCase: string, changed: Partial<Ask>): Promise<Typed> {
    const begun = deferred<void>()
    const answer = (): Promise<never> => (begun.resolve(), new Promise<never>(() => {}))
    const shell = await openTestShell({ ...changed, [useCase]: answer })
    const typing = shell.type(line)
    await begun.promise
    shell.interrupts.emit('SIGINT')
    return typing
  }

  test.each(Object.entries(begins))('names the run that continues, and how to cancel it: %s', async (line, useCase) => {
    const lastRun = { ...sampleRun, id: '98', phase: 'applying', outcome: null } as const
    const getStack = async (): Promise<StackView> => ({ ...sampleStack, lastRun })
    const { code, stderr } = await interrupted(line, useCase, { getStack })
    expect(code).toBe(12)
    expect(stderr).toMatch(
      /error: Stopped waiting\. Run 98 of boards continues\.\n {2}next: Cancel it: gitmoor cancel boards\n/,
    )
  })

  test('names no run if none is in progress', async () => {
    const { code, stderr } = await interrupted('sync boards', 'requestSync', {})
    expect(code).toBe(12)
    expect(stderr).toBe(
      'error: Stopped waiting. A run of boards that has begun continues.\n' +
        '  next: Cancel it: gitmoor cancel boards\n  next: Show its result: gitmoor history boards\n',
    )
  })
})

test('a closed pipe is not an error', async () => {
  const shell = await openTestShell()
  const stdout = new PassThrough()
  stdout.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }))
  expect((await shell.type('stack list', { stdout })).code).toBe(0)
})

test('control characters in data do not reach the terminal', async () => {
  const evil = '\x1b[2J\u009b31m\u202eboards'
  const view = {
    ...sampleStack,
    name: evil,
    displayName: evil,
    target: evil,
    resources: [{ kind: evil, name: evil, displayName: evil, id: evil }],
  }
  const shell = await openTestShell({
    getStack: async () => view,
    previewPlan: async () => ({
      ...samplePlan,
      stackName: evil,
      changes: samplePlan.changes.map((one) => ({ ...one, displayName: evil })),
    }),
    explainStack: async () => Promise.reject(new Refused('failed', evil, { hint: evil })),
  })
  for (const line of ['stack get boards', 'plan boards', 'explain boards']) {
    const { stdout, stderr } = await shell.type(line)
    expect(stdout + stderr).toContain('\\u001b[2J')
    expect(stdout + stderr).not.toMatch(/[\x1b\u009b\u202e]/)
  }
})

test('the agent is started with its options, --data before or after', async () => {
  const started: unknown[] = []
  const startAgent = async (options: object): Promise<number> => (started.push(options), 0)
  const options = '--config c.yaml --data d --listen 127.0.0.1:0 --log json'
  expect((await typeLine(`agent ${options}`, { startAgent })).code).toBe(0)
  expect((await typeLine('agent --log xml', { startAgent })).stderr).toContain('text, json')
  await typeLine('--data d agent', { startAgent })
  expect(started).toEqual([{ config: 'c.yaml', data: 'd', listen: '127.0.0.1:0', log: 'json' }, { data: 'd' }])
})

test('an agent that cannot start says why', async () => {
  const refusal = new Refused('locked', 'Another agent runs on this data directory.', {
    hint: 'Stop it, or use another with --data.',
  })
  const typed = await typeLine('agent', { startAgent: () => Promise.reject(refusal) })
  expect(typed).toEqual({ code: 10, stdout: '', stderr: `error: ${refusal.message}\n  next: ${refusal.hint}\n` })
})

function answering(text: string): PassThrough & { isTTY: boolean } {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  stdin.write(text)
  return stdin
}
