import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { describeError, SyncError } from '../../src/model/errors.js'
import type { MoveView } from '../../src/views/channel.js'
import { sampleExplanation, sampleMove, sampleRun, sampleStack } from '../api/sample-views.js'
import { openTestShell } from './type-command.js'

describe('an invalid name never becomes another path of the API:', () => {
  const cases: Readonly<Record<string, readonly [readonly string[], string]>> = {
    'a stack without a name': [['stack', 'get', ''], 'error: The name is empty.'],
    'a stack named ..': [['plan', '..'], 'error: Invalid name "..".'],
    'a run named ..': [['history', 'boards', '..'], 'error: ".." is not the number of a run.'],
    'a run named .': [['rollback', 'boards', '--why', 'x', '.'], 'error: '],
  }
  test.each(Object.entries(cases))('%s', async (_, [words, message]) => {
    const { code, stderr } = await (await openTestShell()).type(words)
    expect(stderr).toContain(message)
    expect(code).toBe(3)
  })
})

test('an empty --repo is not the current directory', async () => {
  const typed = await (await openTestShell()).type(['stack', 'create', 'x', '--repo', ''])
  expect(typed.code).toBe(3)
  expect(typed.stderr).toContain('error: --repo is empty.')
})

test('problems of a new stack name the words that were typed, each once', async () => {
  const { code, stderr } = await (await openTestShell()).type(['stack', 'create', 'Bad Name', '--repo', 'x'])
  expect(code).toBe(3)
  const [head, first, second] = stderr.split('\n')
  expect([head, first, second]).toEqual([
    'error: The request has 2 problems.',
    expect.stringMatching(/^ {2}error: NAME must /),
    expect.stringMatching(/^ {2}error: --repo /),
  ])
  expect(stderr).not.toContain('sources[0]')
})

test('a digest that is none says where to find it', async () => {
  const shell = await openTestShell()
  expect(await shell.type('approve boards deadbeef')).toEqual({
    code: 3,
    stdout: '',
    stderr:
      'error: "deadbeef" is not the digest of a plan, which has 12 to 64 hex digits.\n' +
      '  next: The plan prints it after the counts: gitmoor plan boards\n',
  })
  expect(shell.calls).toEqual([])
})

test.each([
  ['plan boards --detaild', 'Did you mean "--detailed-exitcode"? Type: gitmoor plan boards --detailed-exitcode'],
  ['plan boards --save p.json', 'Did you mean "--out"? Type: gitmoor plan boards --out p.json'],
])('an option that is cut short, or has its name from another tool, is suggested: %s', async (line, hint) => {
  expect((await (await openTestShell()).type(line)).stderr).toContain(`  next: ${hint}\n`)
})

test('stack list -o name prints only names', async () => {
  const items = ['boards', 'lab'].map((name) => ({ ...sampleStack, name }))
  const shell = await openTestShell({ listStacks: async () => ({ items, next: null }) })
  expect((await shell.type('stack list -o name')).stdout).toBe('boards\nlab\n')
})

test('the queued run of a suspended stack waits for resume', async () => {
  const lastRun = { ...sampleStack.lastRun!, outcome: null, phase: 'queued' } as const
  const suspended = { why: 'restored', by: 'restore', until: null }
  const shell = await openTestShell({
    listStacks: async () => ({ items: [{ ...sampleStack, lastRun, suspended }], next: null }),
    getStack: async () => ({ ...sampleStack, lastRun, suspended }),
  })
  expect((await shell.type('stack list')).stdout).toContain(' waits for resume ')
  expect((await shell.type('stack get boards')).stdout).toMatch(/last run: +\d+: waits for resume /)
})

test('a plan that was cancelled needs no approval any more, also in the last run of its stack', async () => {
  const needed = { outcome: 'needs-approval', phase: 'needs-approval', approval: 'cancelled' } as const
  const lastRun = { ...sampleStack.lastRun!, ...needed }
  const status = { ...sampleStack.status, state: 'Behind', reason: 'Cancelled' } as const
  const stack = { ...sampleStack, lastRun, status }
  const shell = await openTestShell({
    listStacks: async () => ({ items: [stack], next: null }),
    getStack: async () => stack,
  })
  expect((await shell.type('stack list')).stdout).toMatch(/ Behind .* cancelled /)
  expect((await shell.type('stack list')).stdout).not.toContain('needs approval')
  expect((await shell.type('stack get boards')).stdout).toMatch(/last run: +\d+: cancelled /)
})

test('cancel says whether it cancelled a run', async () => {
  const status = { ...sampleStack.status, state: 'Behind', reason: 'Cancelled' } as const
  const idle = await openTestShell()
  const busy = await openTestShell({ cancelRun: async () => ({ ...sampleStack, status }) })
  expect((await idle.type('cancel boards')).stdout).toBe('boards: no run in progress.\n')
  expect((await busy.type('cancel boards')).stdout).toBe(
    'boards: cancelled. The next sync starts with a new revision, a changed setting or gitmoor sync boards.\n',
  )
})

test.each([
  ['ended, regardless of the conditions of the stack', { outcome: 'cancelled' }, 'run 12 ended: cancelled.'],
  ['ended, although there is a newer run', { id: '13', outcome: null }, 'run 12 ended.'],
  ['not ended, because it is undoing', { outcome: null, phase: 'undoing' }, 'cannot cancel run 12: it is undoing.'],
] as const)('cancel of a run in progress says that it is %s', async (_, changed, said) => {
  const underWay = { ...sampleStack.lastRun!, id: '12', outcome: null, phase: 'queued' } as const
  const shell = await openTestShell({
    getStack: async () => ({ ...sampleStack, lastRun: underWay }),
    cancelRun: async () => ({ ...sampleStack, lastRun: { ...underWay, ...changed } }),
  })
  expect((await shell.type('cancel boards')).stdout).toBe(`boards: ${said}\n`)
})

test('a run that failed before its first poll is shown without a revision', async () => {
  const run = { ...sampleRun, outcome: 'failed', revision: '', problems: [], plan: null } as const
  expect((await (await openTestShell({ getRun: async () => run })).type('sync boards')).stdout).toBe(
    'boards: failed.\n',
  )
})

test('an error and its causes are one sentence', () => {
  const error = new SyncError('It could not be reached.', { code: 'x/y', cause: new Error('connect ECONNREFUSED.') })
  expect(describeError(error)).toBe('It could not be reached: connect ECONNREFUSED.')
})

test('explain prints no time for an unpolled source, and for checks that are not due', async () => {
  const follows = [
    { source: 'pushed packages', revision: null, observedAt: null, polledAt: null, problem: null, move: null },
  ]
  const nothing = { nextPollAt: null, nextDriftCheckAt: null, nextRetryAt: null }
  const shell = await openTestShell({ explainStack: async () => ({ ...sampleExplanation, ...nothing, follows }) })
  const { stdout } = await shell.type('explain boards')
  expect(stdout).toMatch(/pushed packages$/m)
  expect(stdout).not.toMatch(/next poll|next drift check|next retry/)
})

test('explain gives every fact of a stack without blockers a label', async () => {
  const message = 'The target was not compared with the applied revision yet.'
  const next = [{ verb: 'sync', args: { stack: 'boards' }, cli: 'gitmoor sync boards', purpose: 'Compare it now' }]
  const status = { ...sampleExplanation.status, state: 'Unknown', reason: 'Unknown', also: [], message, next } as const
  const shell = await openTestShell({ explainStack: async () => ({ ...sampleExplanation, status, blockers: [] }) })
  const { stdout } = await shell.type('explain boards')
  const [heading, step, ...facts] = stdout.split('\n\n')[0]!.split('\n')
  expect([heading, step]).toEqual(['boards: Unknown', '  next: Compare it now: gitmoor sync boards'])
  expect(facts.filter((line) => !/^[a-z ]+: {2,}\S/.test(line))).toEqual([])
  expect(stdout).toMatch(/^blockers: +none$/m)
  expect(stdout).toMatch(new RegExp(`^message: +${message}$`, 'm'))
})

test('explain says of a deleted ref where it was, and of a blocked move only what the source is at', async () => {
  const [followed] = sampleExplanation.follows
  const explain = async (move: MoveView): Promise<string> => {
    const shell = await openTestShell({
      explainStack: async () => ({ ...sampleExplanation, follows: [{ ...followed!, move }] }),
    })
    return (await shell.type('explain boards')).stdout
  }
  const from = { object: '2f1c9ab', commit: '2f1c9ab'.padEnd(40, '0') }
  expect(await explain({ ...sampleMove, from, to: null })).toMatch(
    /last move: +deleted at 2f1c9ab .*, detected by poll/,
  )
  const to = { object: 'fffffff', commit: 'f'.repeat(40) }
  expect(await explain({ ...sampleMove, to })).toMatch(/#stable, at \S+, not at the newest move$/m)
})

test.each([['abc'], [''], ['0']])('a terminal of 0 columns is shown as one of 80, with COLUMNS %j', async (given) => {
  const shell = await openTestShell()
  for (const line of ['stack list', 'explain boards', 'history boards', 'channel list', 'stack list --help']) {
    const environment = { GITMOOR_DATA: shell.directory, COLUMNS: given }
    const [none, usual] = [
      await shell.type(line, { terminal: true, columns: 0, environment }),
      await shell.type(line, { terminal: true, columns: 80 }),
    ]
    expect([line, none]).toEqual([line, usual])
  }
})

describe('an input file that is not a regular file is refused at once:', () => {
  test.each([
    'stack create boards -f odd.yml',
    'stack set boards -f odd.yml',
    'stack push boards -f odd.yml',
    'stack push boards -f odd.jsonnet',
    'validate odd.yml',
    'apply odd.yml',
    'resource create -f odd.yml',
    'resource edit Bucket/raw -f odd.yml',
  ])('%s', async (line) => {
    const shell = await openTestShell()
    const names = ['odd.yml', 'odd.jsonnet']
    const makers: Readonly<Record<string, (files: readonly string[]) => void>> = {
      pipes: (files) => execFileSync('mkfifo', files),
      devices: (files) => files.forEach((file) => symlinkSync('/dev/zero', file)),
    }
    for (const [sort, make] of Object.entries(makers)) {
      const cwd = join(shell.directory, sort)
      mkdirSync(cwd)
      make(names.map((name) => join(cwd, name)))
      const { code, stderr } = await shell.type(line, { cwd })
      expect(stderr).toMatch(/odd\.(yml|jsonnet).* is not a regular file/)
      expect(code).toBe(3)
    }
  })
})

test.each([
  ['stack create boards -f large.yml', 4],
  ['stack push boards -f large.yml', 4],
  ['resource create -f large.yml', 4],
  ['apply large.yml', 64],
  ['validate large.yml', 4],
  ['validate .', 4],
])('%s of a file that is too large names the limit', async (line, mebibytes) => {
  const shell = await openTestShell()
  const file = join(shell.directory, 'large.yml')
  writeFileSync(file, '')
  truncateSync(file, mebibytes * 1024 ** 2 + 1)
  const { code, stderr } = await shell.type(line)
  expect(stderr).toContain(`large.yml: it is larger than ${mebibytes} MiB.`)
  expect(stderr).toContain(`next: The limit is ${mebibytes} MiB. Pass a smaller file, or split it.`)
  expect(code).toBe(3)
})

test('a stack document that is too large only because it is not UTF-8 says what to do', async () => {
  const shell = await openTestShell()
  writeFileSync(join(shell.directory, 'boards.yml'), Buffer.alloc(2 * 1024 ** 2, 0xff))
  const { code, stderr } = await shell.type('stack create boards -f boards.yml')
  expect(stderr).toContain('The file is larger than 4 MiB.')
  expect(stderr).toContain('next: Shorten the file. If it is smaller on disk, save it as UTF-8.')
  expect(code).toBe(3)
})
