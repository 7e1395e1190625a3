// Verbs on several stacks: `--all` and `--selector`.
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { InvalidPackage, Refused, Unavailable } from '../../../src/model/errors.js'
import { worstExitCode } from '../../../src/cli/exit-code.js'
import type { StackListing } from '../../../src/stacks/paging.js'
import type { ErrorBody } from '../../../src/views/errors/error.js'
import type { PlanView } from '../../../src/views/plan.js'
import type { RunRow } from '../../../src/views/run.js'
import type { StackRow } from '../../../src/views/stack.js'
import { edit } from '../../../src/model/stacks/blocker.js'
import type { Ask } from '../../ask.js'
import { samplePlan, sampleRow, sampleRun, sampleStack } from '../../api/sample-views.js'
import { until } from '../../e2e/until.js'
import { openTestShell, type TestShell } from '../type-command.js'

const names = ['boards', 'edge', 'lab']
const rows: readonly StackRow[] = names.map((name) => ({ ...sampleStack, name }))
const queued: RunRow = { ...sampleRow, phase: 'queued', outcome: null }
const cancelled = { ...sampleStack.status, state: 'Behind', reason: 'Cancelled' } as const
const suspended: ErrorBody = { status: 'locked', code: 'stacks/suspended', message: 'edge is suspended: the audit' }

/** An agent with three stacks, of which `changed` answers otherwise. */
function openThree(changed: Partial<Ask> = {}): Promise<TestShell> {
  return openTestShell({
    listStacks: async () => ({ items: rows, next: null }),
    requestSyncs: async () => ({ items: names.map((name) => ({ name, run: queued })) }),
    getRun: async (stack) => ({ ...sampleRun, stack }),
    ...changed,
  })
}

const askedOf = (shell: TestShell, verb: string): readonly unknown[] =>
  shell.calls.filter((one) => one.verb === verb).map(({ args }) => args[0])
/** Collects what is printed, as it is printed. */
function shown(printed: string[]): PassThrough {
  return new PassThrough().on('data', (chunk: Buffer) => printed.push(chunk.toString()))
}

const sorted = (text: string): readonly string[] => text.trimEnd().split('\n').toSorted()

describe('which stacks', () => {
  test('resume says that a selector matches no suspended stack', async () => {
    const shell = await openTestShell({ listStacks: async () => ({ items: [], next: null }) })
    expect((await shell.type('resume -l team=ops')).stderr).toContain('No stack matches team=ops and is suspended.')
  })

  test.each(['sync', 'plan', 'wait', 'cancel', 'suspend --why x', 'resume'])(
    'of NAME, --selector and --all, %s takes exactly one',
    async (verb) => {
      const shell = await openThree()
      for (const line of [verb, `${verb} boards --all`, `${verb} --all -l team=ops`]) {
        const typed = await shell.type(line)
        expect(typed).toMatchObject({ code: 3, stdout: '' })
        expect(typed.stderr).toContain('or pass --all, -l SELECTOR or --fleet FLEET')
      }
      expect(shell.calls).toEqual([])
    },
  )

  test('the selector goes to the agent with one listing', async () => {
    const shell = await openThree()
    await shell.type('plan -l team=ops,tier!=test')
    const selector = [
      { operator: 'equals', key: 'team', value: 'ops' },
      { operator: 'differs', key: 'tier', value: 'test' },
    ]
    expect(shell.calls.filter(({ verb }) => verb === 'listStacks')).toEqual([
      { verb: 'listStacks', args: [{ limit: 500, selector }] },
    ])
    expect(shell.calls.map(({ verb }) => verb)).toEqual(['listStacks', ...names.map(() => 'previewPlan')])
  })

  test('a fleet selects its stacks', async () => {
    const shell = await openThree()
    await shell.type('plan --fleet teams')
    await shell.type('sync --fleet teams --no-wait')
    expect(shell.calls.filter(({ verb }) => verb === 'listStacks')).toEqual([
      { verb: 'listStacks', args: [{ limit: 500, managedBy: 'fleet:teams' }] },
    ])
    expect(shell.calls.at(-1)).toMatchObject({
      verb: 'requestSyncs',
      args: [[], expect.any(String), { fleet: 'teams' }, expect.any(Function)],
    })
    expect((await shell.type('sync boards --fleet teams')).code).toBe(3)
    const none = await openTestShell({ listStacks: async () => ({ items: [], next: null }) })
    expect(await none.type('suspend --fleet teams --why audit')).toEqual({
      code: 9,
      stdout: '',
      stderr: 'error: No stack is of fleet teams and is not suspended.\n  next: List the fleets: gitmoor fleet list\n',
    })
  })

  test('a malformed selector is a usage error with its position', async () => {
    const typed = await (await openThree()).type(['sync', '-l', 'team in (ops)'])
    expect(typed.code).toBe(3)
    expect(typed.stderr).toContain('"selector" is malformed at character 6')
  })

  test('a selector that matches none is not found; --all without stacks is nothing to do', async () => {
    const shell = await openTestShell({
      listStacks: async () => ({ items: [], next: null }),
      requestSyncs: async () => ({ items: [] }),
    })
    expect((await shell.type('wait -l team=nobody')).code).toBe(9)
    const typed = await shell.type('sync -l team=nobody')
    expect(typed).toMatchObject({ code: 9, stdout: '' })
    expect(typed.stderr).toContain('No stack matches team=nobody.')
    expect(await shell.type('sync --all')).toEqual({ code: 0, stdout: 'No stacks.\n', stderr: '' })
  })
})

describe('sync --all', () => {
  test('requests all syncs, waits, and prints a line for each and a summary', async () => {
    const shell = await openThree()
    const { code, stdout } = await shell.type('sync --all')
    expect(code).toBe(0)
    expect(sorted(stdout)).toEqual([
      '3 stacks: 3 applied.',
      ...names.map(
        (name) => `${name}: applied stable@2f1c9ab in 0.42 s. 1 created, 1 updated, 1 removed, 4 unchanged.`,
      ),
    ])
    expect(askedOf(shell, 'listStacks')).toHaveLength(1)
    expect(shell.calls[0]).toEqual({ verb: 'requestSyncs', args: [[], expect.any(String), {}, expect.any(Function)] })
  })

  test('names newer moves that a policy or a veto keeps from a stack, and ends with 7', async () => {
    const message = 'Move 5 of stable to 82d6805 is refused.'
    const status = { ...sampleStack.status, reason: 'MoveRefused', message, next: [edit('Sign it by ops')] }
    const blocked = rows.map((row) => (row.name === 'edge' ? { ...row, status } : row))
    const shell = await openThree({ listStacks: async () => ({ items: blocked, next: null }) })
    expect(await shell.type('sync --all')).toMatchObject({
      code: 7,
      stderr: `edge: ${message}\n  next: Sign it by ops\n`,
    })
  })

  test('continues after a stack that is refused, and exits with the worst code', async () => {
    const place = { file: 'a.yml', line: 3, index: 0, pointer: '' }
    const failure = {
      severity: 'error' as const,
      code: 'source/not-found',
      message: 'There is no ref stable.',
      hint: 'Create it.',
      place,
    }
    const shell = await openThree({
      requestSyncs: async () => ({
        items: [
          { name: 'boards', run: queued },
          { name: 'edge', error: suspended },
          { name: 'lab', run: queued },
        ],
      }),
      getRun: async (stack) =>
        stack === 'lab'
          ? { ...sampleRun, stack, outcome: 'failed', problems: [failure] }
          : { ...sampleRun, stack, outcome: 'unchanged' },
    })
    const { code, stdout } = await shell.type('sync --all')
    expect(code).toBe(5)
    expect(sorted(stdout)).toEqual([
      '  next: Create it.',
      '3 stacks: 1 unchanged, 1 refused, 1 failed.',
      'boards: no changes at stable@2f1c9ab. 4 unchanged.',
      'edge is suspended: the audit',
      'lab: failed at stable@2f1c9ab: a.yml:3: There is no ref stable.',
    ])
    const { items } = JSON.parse((await shell.type('sync --all --json')).stdout)
    expect(items).toMatchObject([
      { name: 'boards', run: { outcome: 'unchanged' } },
      { name: 'edge', error: { code: 'stacks/suspended', status: 'locked' } },
      { name: 'lab', run: { outcome: 'failed' } },
    ])
  })

  test('asks once, with the selector and the override', async () => {
    const shell = await openThree()
    const typed = await shell.type('sync -l team=ops --override-window --why INC-7 --no-wait')
    expect(sorted(typed.stdout)).toEqual([
      '3 stacks: 3 queued.',
      ...names.map((name) => `Run 12 of ${name} is queued.`),
    ])
    const selector = [{ operator: 'equals', key: 'team', value: 'ops' }]
    expect(shell.calls).toEqual([
      { verb: 'requestSyncs', args: [selector, expect.any(String), { overrideWindow: 'INC-7' }, expect.any(Function)] },
    ])
  })

  test.each([
    ['whose dependency is not synced', { reason: 'Dependencies', stalled: true }],
    ['that somebody suspended meanwhile', { reason: 'Suspended' }],
  ] as const)('lists a stack %s as not synced, with exit code 10', async (_, because) => {
    const message = 'It waits.'
    const blocker = { ...because, message, since: null, until: null, next: [] }
    const shell = await openThree({
      getRun: async (stack) =>
        stack === 'edge'
          ? { ...sampleRun, stack, phase: 'queued', outcome: null, blockers: [blocker] }
          : { ...sampleRun, stack },
    })
    const { code, stdout } = await shell.type('sync --all')
    expect(code).toBe(10)
    expect(stdout).toContain(`edge: not synced: ${message}\n`)
    expect(stdout).toContain('3 stacks: 2 applied, 1 not synced.')
  })

  test('continues to wait while a dependency may become ready', async () => {
    const message = 'It waits for boards to be synced and healthy.'
    const blocker = { reason: 'Dependencies', message, since: null, until: null, next: [] } as const
    const reads = new Map<string, number>()
    const shell = await openThree({
      getRun: async (stack) => {
        const read = (reads.get(stack) ?? 0) + 1
        reads.set(stack, read)
        if (stack !== 'edge' || read > 2) return { ...sampleRun, stack }
        return { ...sampleRun, stack, phase: 'queued', outcome: null, blockers: [blocker] }
      },
    })
    expect((await shell.type('sync --all')).stdout).toContain('3 stacks: 3 applied.')
  })

  test('ends after Ctrl-C with exit code 12, and says that the runs continue', async () => {
    let waiting = 0
    const shell = await openThree({
      getRun: (_, __, options) => {
        waiting++
        return new Promise((_resolve, reject) =>
          options!.signal.addEventListener('abort', () => reject(new Unavailable('gone', { code: 'x/y' }))),
        )
      },
    })
    const typed = shell.type('sync --all')
    await until('all are waited for', () => waiting === 3)
    shell.interrupts.emit('SIGINT')
    const { code, stdout, stderr } = await typed
    expect({ code, stdout }).toEqual({ code: 12, stdout: '' })
    expect(stderr).toContain('Interrupted. Work that the agent began continues.')
  })

  test('stops at an error of the agent as a whole', async () => {
    const shell = await openThree()
    const token = { GITMOOR_URL: shell.url, GITMOOR_TOKEN: 'wrong' }
    expect((await shell.type('sync --all', { environment: token })).code).toBe(4)
  })
})

describe('plan --all', () => {
  const suspendedBlocker = { reason: 'Suspended', message: 'Suspended by ann.', since: null, until: null, next: [] }
  const unchanged = (stackName: string): PlanView => ({
    ...samplePlan,
    stackName,
    changes: [],
    needsApproval: [],
    problems: [],
    counts: { create: 0, update: 0, remove: 0, unchanged: 4 },
  })
  const mixed: Partial<Ask> = {
    previewPlan: async (stack) => {
      if (stack === 'lab') throw new Unavailable('Target far is not declared.', { code: 'platform/target-missing' })
      return stack === 'boards' ? samplePlan : { ...unchanged(stack), blockers: [suspendedBlocker] }
    },
  }

  test('prints the plans with changes, a table of all, a summary, and warnings to stderr', async () => {
    const { stdout, stderr } = await (await openThree(mixed)).type('plan --all')
    expect(stdout.match(/ at stable@2f1c9ab on target local$/gm)).toHaveLength(1)
    expect(stdout.slice(stdout.indexOf('NAME'))).toBe(
      [
        'NAME    TARGET  CHANGES     APPROVAL  BLOCKED    DIGEST        ERROR',
        'boards  local   +1 ~1 -1    needed               3fa9c0d1e2b4',
        'edge    local   no changes            Suspended',
        'lab     -       failed                                         Target far is not declared.',
        '',
        '3 stacks: 1 with changes, 1 unchanged, 1 failed.',
        '',
      ].join('\n'),
    )
    expect(stderr).toBe(
      'boards:\n  warning: The field colour is not known.\n    a.yml:3: spec.colour\n    next: Did you mean "color"?\n',
    )
  })

  test('calls a stack blocked whose channel releases nothing', async () => {
    const shell = await openThree({
      previewPlan: async (stack) => {
        if (stack === 'lab')
          throw new Refused('needs-approval', 'Nothing is released.', { code: 'source/not-released' })
        return unchanged(stack)
      },
    })
    const { code, stdout } = await shell.type('plan --all')
    expect([code, stdout]).toEqual([7, expect.stringContaining('3 stacks: 2 unchanged, 1 blocked.')])
    expect(stdout).toMatch(/^lab {2,}- {2,}blocked /m)
    expect((await shell.type('plan --all --output markdown')).stdout).toContain('1 blocked')
  })

  test('prints all problems of a package that cannot be planned', async () => {
    const problem = { severity: 'error', code: 'package/syntax', message: 'The quote is not closed.' } as const
    const shell = await openThree({
      previewPlan: async (stack) => {
        if (stack === 'lab') throw new InvalidPackage([problem, problem])
        return unchanged(stack)
      },
    })
    const { code, stderr } = await shell.type('plan --all')
    expect(code).toBe(1)
    expect(stderr).toBe(`lab:\n${'  error: The quote is not closed.\n'.repeat(2)}`)
    const { stdout } = await shell.type('plan --all --output markdown')
    expect(stdout.match(/error: The quote is not closed\./g)).toHaveLength(2)
  })

  test('prints each plan in order, as soon as it is there', async () => {
    const answered = new Map<string, () => void>()
    const shell = await openThree({
      previewPlan: (stack) =>
        new Promise<PlanView>((resolve) => answered.set(stack, () => resolve({ ...samplePlan, stackName: stack }))),
    })
    const printed: string[] = []
    const heads = (): readonly string[] => printed.join('').match(/^\w+(?= at stable@2f1c9ab on target local$)/gm) ?? []
    const typed = shell.type('plan --all', { stdout: shown(printed) })
    await until('all are asked for', () => answered.size === 3)
    answered.get('edge')!()
    answered.get('boards')!()
    await until('the first two are printed', () => heads().length === 2)
    expect(heads()).toEqual(['boards', 'edge'])
    answered.get('lab')!()
    await typed
    expect(heads()).toEqual(names)
    expect(printed.join('')).toMatch(/\n3 stacks: 3 with changes\.\n$/)
  })

  test('exits with the worst code: 2 for changes only if no plan failed', async () => {
    expect((await (await openThree(mixed)).type('plan --all --detailed-exitcode')).code).toBe(6)
    const previewPlan = async (stack: string): Promise<PlanView> => (stack === 'lab' ? samplePlan : unchanged(stack))
    const shell = await openThree({ previewPlan })
    expect((await shell.type('plan --all --detailed-exitcode')).code).toBe(2)
    expect((await shell.type('plan --all')).code).toBe(0)
  })

  test('plans another ref of all, and says which plans will need approval', async () => {
    const shell = await openThree()
    const { stdout } = await shell.type('plan --all --ref beta')
    expect(shell.calls.at(-1)!.args[1]).toEqual({ ref: 'beta' })
    expect(stdout).toContain('This plan will need approval: data-loss.\n')
    expect(stdout).not.toContain('gitmoor approve')
    expect(stdout).toMatch(/^boards .* needed /m)
  })

  test('prints one Markdown document, and --json all plans', async () => {
    const shell = await openThree(mixed)
    const { stdout } = await shell.type('plan --all --output markdown')
    expect(stdout).toContain('\n3 stacks: 1 with changes, 1 unchanged, 1 failed.\n')
    expect(stdout.match(/<details>/g)).toHaveLength(2)
    const { items } = JSON.parse((await shell.type('plan --all --output markdown --json')).stdout)
    expect(items).toMatchObject([
      { name: 'boards', plan: { stackName: 'boards' } },
      { name: 'edge', plan: { changes: [] } },
      { name: 'lab', error: { code: 'platform/target-missing' } },
    ])
  })

  test('saves no file', async () => {
    expect(await (await openThree()).type('plan --all --out x.plan')).toMatchObject({ code: 3, stdout: '' })
  })
})

test('plan NAME --output markdown prints the plan as Markdown', async () => {
  const { code, stdout } = await (await openTestShell()).type('plan boards --output markdown --detailed-exitcode')
  expect(code).toBe(2)
  expect(stdout).toContain('<details><summary><code>boards</code>: 1 to create')
})

test('a stack that failed is not called refused, and its name is printed once', async () => {
  const errors: Readonly<Record<string, object>> = {
    edge: {
      error: { status: 'source', code: 'source/auth', message: 'The server says 401.', hint: 'Check the token.' },
    },
    lab: { error: { status: 'conflict', code: 'stacks/window-closed', message: 'lab: No sync window is open.' } },
  }
  const shell = await openThree({
    requestSyncs: async () => ({ items: Object.entries(errors).map(([name, error]) => ({ name, ...error }) as never) }),
  })
  const { stdout } = await shell.type('sync --all')
  expect(stdout).toContain('edge: failed: The server says 401.\n  next: Check the token.\n')
  expect(stdout).toContain('lab: refused: No sync window is open.\n')
  expect(stdout).toContain('2 stacks: 1 failed, 1 refused.')
})

test('resume reports what still keeps the stack from syncing', async () => {
  const status = { ...sampleStack.status, state: 'Failed', message: 'There is no target x.', next: [] } as const
  const shell = await openTestShell({ resumeStack: async () => ({ ...sampleStack, status }) })
  const { stdout } = await shell.type('resume boards')
  expect(stdout).toBe('Resumed boards.\nBut it cannot sync: There is no target x.\n')
})

describe('wait, cancel, suspend and resume', () => {
  test('wait -l waits for all until one deadline', async () => {
    const shell = await openThree({
      waitForStack: async (name) => {
        if (name === 'lab') throw new Refused('timeout', 'lab is not synced after 5 s.')
        return { ...sampleStack, name }
      },
    })
    const { code, stdout } = await shell.type('wait -l team=ops --timeout 5s')
    expect(code).toBe(11)
    expect(sorted(stdout)).toEqual([
      '3 stacks: 2 synced, 1 failed.',
      'boards is synced at stable@2f1c9ab.',
      'edge is synced at stable@2f1c9ab.',
      'lab is not synced after 5 s.',
    ])
    const waits = shell.calls.filter(({ verb }) => verb === 'waitForStack')
    for (const { args } of waits)
      expect((args[1] as { readonly timeoutMs: number }).timeoutMs).toBeLessThanOrEqual(5_000)
  })

  test('sync --all --wait healthy waits for the health of each stack after its run', async () => {
    const shell = await openThree({
      waitForStack: async (name, { for: state }) => {
        if (name === 'lab') throw new Refused('timeout', `lab is not ${state} after 60 s.`)
        return { ...sampleStack, name }
      },
    })
    const { code, stdout } = await shell.type('sync --all --wait healthy')
    expect(code).toBe(11)
    expect(stdout).toContain('lab is not healthy after 60 s.\n')
    expect(stdout).toContain('3 stacks: 2 applied, 1 failed.')
    expect(new Set(askedOf(shell, 'waitForStack'))).toEqual(new Set(names))
  })

  test.each([
    ['suspend --all --why audit', 'suspendStack', false, 'Suspended boards.', '3 stacks: 3 suspended.'],
    ['resume --all', 'resumeStack', true, 'Resumed boards.', '3 stacks: 3 resumed.'],
  ])('%s changes only the stacks that are not so already', async (line, verb, isSuspended, one, all) => {
    const listings: StackListing[] = []
    const shell = await openThree({
      listStacks: async (listing) => {
        listings.push(listing)
        return { items: rows, next: null }
      },
      suspendStack: async (name, why) => ({ ...sampleStack, name, suspended: { why, by: 'ann', until: null } }),
      resumeStack: async (name) => ({ ...sampleStack, name }),
    })
    const { code, stdout } = await shell.type(line)
    expect(code).toBe(0)
    expect(stdout).toContain(one)
    expect(stdout).toContain(all)
    expect(listings).toEqual([{ limit: 500, suspended: isSuspended }])
    expect(new Set(askedOf(shell, verb))).toEqual(new Set(names))
  })

  test('resume --all leaves alone a stack that the configuration file no longer declares, and says so', async () => {
    const suspended = { why: 'no longer declared in the configuration file', by: 'file', until: null }
    const gone = { managedBy: 'file', suspended } as const
    const shell = await openThree({
      listStacks: async () => ({
        items: rows.map((row) => (row.name === 'lab' ? { ...row, ...gone } : row)),
        next: null,
      }),
      resumeStack: async (name) => ({ ...sampleStack, name }),
    })
    const { code, stdout } = await shell.type('resume --all')
    expect(code).toBe(0)
    expect(stdout).toContain('lab: not changed, because the configuration file no longer declares it.')
    expect(stdout).toContain('2 stacks: 2 resumed.')
    expect(askedOf(shell, 'resumeStack')).not.toContain('lab')
  })

  test('resume --all leaves alone a stack that was uninstalled, and says how to install it again', async () => {
    const suspended = { why: 'uninstalled', by: 'ann', until: null }
    const shell = await openThree({
      listStacks: async () => ({
        items: rows.map((row) => (row.name === 'lab' ? { ...row, suspended } : row)),
        next: null,
      }),
      resumeStack: async (name) => ({ ...sampleStack, name }),
    })
    const { stdout } = await shell.type('resume --all')
    expect(stdout).toContain('lab: not changed, because it was uninstalled. Install it again: gitmoor resume lab')
    expect(askedOf(shell, 'resumeStack')).not.toContain('lab')
  })

  test('cancel cancels the runs of the stacks that have one', async () => {
    const shell = await openThree({
      listStacks: async () => ({
        items: rows.map((row) => (row.name === 'lab' ? row : { ...row, phase: 'queued', lastRun: queued })),
        next: null,
      }),
      cancelRun: async (name) => ({ ...sampleStack, name, status: name === 'edge' ? sampleStack.status : cancelled }),
    })
    const { code, stdout } = await shell.type('cancel --all')
    expect(code).toBe(0)
    expect(sorted(stdout)).toEqual([
      '2 stacks: 1 cancelled, 1 ended.',
      'boards: cancelled. The next sync starts with a new revision, a changed setting or gitmoor sync boards.',
      'edge: run 12 ended: applied.',
    ])
    expect(new Set(askedOf(shell, 'cancelRun'))).toEqual(new Set(['boards', 'edge']))
  })

  test('cancel -l without a run is not found, and --all is nothing to do', async () => {
    const shell = await openThree()
    const typed = await shell.type('cancel -l team=ops')
    expect(typed.code).toBe(9)
    expect(typed.stderr).toContain('No stack matches team=ops and has a run to cancel.')
    expect(await shell.type('cancel --all')).toMatchObject({ code: 0, stdout: 'No stacks.\n' })
  })
})

describe('history', () => {
  const runs = names.map((stack, at) => ({ ...sampleRow, id: String(14 - at), stack }))

  test.each([
    ['history', { limit: 50 }],
    ['history --all --limit 7', { limit: 7 }],
    ['history --fleet teams', { limit: 50, managedBy: 'fleet:teams' }],
    ['history -l !old', { limit: 50, selector: [{ operator: 'absent', key: 'old' }] }],
  ])('%s lists the runs of several stacks with their names', async (line, query) => {
    const shell = await openThree({ listAllRuns: async () => ({ items: runs, next: null }) })
    const { code, stdout } = await shell.type(line)
    expect(code).toBe(0)
    expect(shell.calls).toEqual([{ verb: 'listAllRuns', args: [query] }])
    expect(stdout.split('\n').map((one) => one.split(/ {2,}/).slice(0, 4))).toEqual([
      ['RUN', 'STACK', 'WHEN', 'OUTCOME'],
      ['14', 'boards', '2m ago', 'applied'],
      ['13', 'edge', '2m ago', 'applied'],
      ['12', 'lab', '2m ago', 'applied'],
      [''],
    ])
    expect(JSON.parse((await shell.type(`${line} --json`)).stdout)).toEqual({ items: runs, next: null })
  })

  test('of a selector or a fleet without a stack is not found', async () => {
    const empty = async (): Promise<{ items: readonly never[]; next: null }> => ({ items: [], next: null })
    const shell = await openTestShell({ listAllRuns: empty, listStacks: empty })
    expect(await shell.type('history -l team=nobody')).toMatchObject({ code: 9, stdout: '' })
    expect(await shell.type('history --fleet nobodies')).toMatchObject({ code: 9, stdout: '' })
    expect(await shell.type('history')).toMatchObject({ code: 0, stdout: 'No runs yet.\n' })
  })

  test.each(['history boards --all', 'history boards 12 -l team=ops', 'history -l team=ops --all'])(
    '%s is a usage error',
    async (line) => {
      expect((await (await openThree()).type(line)).stderr).toContain('or pass --all, -l SELECTOR or --fleet FLEET')
    },
  )
})

test.each([
  [[], 0],
  [[0, 0], 0],
  [[0, 2], 2],
  [[7, 2, 10], 7],
  [[7, 11], 11],
  [[5, 6, 7], 6],
  [[1, 6], 1],
])('of the exit codes %j the worst is %i', (codes, worst) => {
  expect(worstExitCode(codes)).toBe(worst)
})
