// Verbs that move many stacks: they show what changes, ask, and say what moved.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { Refused } from '../../../src/model/errors.js'
import {
  sampleApprovalPreview,
  sampleDecidedMove,
  sampleMove,
  samplePinPreview,
  samplePlan,
  samplePromoted,
  samplePromotion,
  sampleStack,
  sampleRun,
  sampleVetoPreview,
} from '../../api/sample-views.js'
import { openTestShell, type TestShell, type Typed } from '../type-command.js'

const promote = 'channel promote beta stable --why because'

function verbs(shell: TestShell): readonly string[] {
  return shell.calls.map(({ verb }) => verb)
}

describe('promote', () => {
  const answer = (shell: TestShell, text: string): Promise<Typed> => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    stdin.end(text)
    return shell.type(promote, { terminal: true, stdin })
  }

  test('shows what changes on which stacks, and asks', async () => {
    const shell = await openTestShell()
    const { code, stderr, stdout } = await answer(shell, 'yes\n')
    expect(stderr).toContain(': 81d0c3e → 2f1c9ab (back), from beta, followed by boards other')
    expect(stderr).toContain('to 2f1c9ab, which goes back from 81d0c3e?')
    expect(stderr).toContain('Bucket/raw')
    expect(stderr).toContain('This plan will need approval: data-loss.')
    expect(stderr).toContain('data-loss: Removing Bucket/old loses its data.')
    expect(stderr).not.toContain('next: gitmoor approve')
    expect(stderr).toContain('Not planned before they move: other')
    expect(stdout).toContain('to 2f1c9ab (tag object 9a0b1c2).\n  boards moves to stable@2f1c9ab in run 13\n')
    expect(stdout).toContain('Not moved: other\n  next: See why: gitmoor explain other\n')
    expect([code, verbs(shell)]).toEqual([0, ['previewPromotion', 'promoteTag', 'getRun']])
  })

  test('names the stacks whose plans it does not show, and stops with --yes at the error of a later one', async () => {
    const error = {
      code: 'source/path-missing',
      status: 'source' as const,
      message: 'There is nothing at none.',
      problems: [],
    }
    const plans = [{ stack: 'boards', plan: samplePlan }, { stack: 'other' }, { stack: 'third', error }]
    const stacks = ['boards', 'other', 'third', 'fourth']
    const shell = await openTestShell({ previewPromotion: async () => ({ ...samplePromotion, stacks, plans }) })
    const { code, stderr } = await shell.type(`${promote} --yes`)
    expect([code, verbs(shell)]).toEqual([5, ['previewPromotion']])
    expect(stderr).toContain('Planned without an error, not shown: other\n')
    expect(stderr).toContain('Not planned before they move: fourth\n')
    expect(stderr).toContain('Nothing was promoted: third cannot be planned at 2f1c9ab.')
  })

  test('promotes although a fleet loses a stack there, and says so', async () => {
    const plans = [{ stack: 'boards', leaves: 'teams' }]
    const shell = await openTestShell({
      previewPromotion: async () => ({ ...samplePromotion, stacks: ['boards'], plans }),
    })
    const { code, stderr } = await shell.type(`${promote} --yes`)
    expect(code).toBe(0)
    expect(stderr).toContain('boards is suspended there, because its directory is gone: fleet teams loses it.')
  })

  test('moves nothing if the answer is not yes', async () => {
    const shell = await openTestShell()
    expect((await answer(shell, 'no\n')).code).toBe(12)
    expect(verbs(shell)).toEqual(['previewPromotion'])
  })

  test('without a terminal shows what changes, and needs --yes', async () => {
    const shell = await openTestShell()
    const { code, stderr } = await shell.type(promote)
    expect(code).toBe(7)
    expect(stderr).toContain('1 to create, 1 to update, 1 to remove, 4 unchanged.')
    expect(stderr).toContain('Pass --yes to confirm.')
    expect(verbs(shell)).toEqual(['previewPromotion'])
    expect((await shell.type(`${promote} --yes`)).stderr).toContain('1 to create, 1 to update')
  })

  test('shows the new preview and asks again if something moved before the answer', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    const shell = await openTestShell({
      promoteTag: async () => {
        stdin.write('no\n') // the answer to the next question
        throw new Refused('stale', 'Nothing was promoted: beta moved.', { code: 'stacks/stale-promotion' })
      },
    })
    stdin.write('yes\n')
    const { code, stderr } = await shell.type(promote, { terminal: true, stdin })
    expect(stderr.match(/Type yes to continue|beta moved/g)).toEqual([
      'Type yes to continue',
      'beta moved',
      'Type yes to continue',
    ])
    expect([code, verbs(shell)]).toEqual([12, ['previewPromotion', 'promoteTag', 'previewPromotion']])
    expect((await shell.type(`${promote} --yes`)).code).toBe(8)
  })

  test('shortens a commit', async () => {
    const shell = await openTestShell({
      previewPromotion: async () => ({ ...samplePromotion, from: samplePromotion.commit }),
    })
    expect((await shell.type(promote)).stderr).toContain('2f1c9ab (back), from 2f1c9ab, followed by')
  })

  test('says where FROM is, if its stacks do not follow that', async () => {
    const fromCommit = '9a0b1c2'.padEnd(40, '3')
    const shell = await openTestShell({ previewPromotion: async () => ({ ...samplePromotion, fromCommit }) })
    expect((await shell.type(promote)).stderr).toContain(
      'beta points to 9a0b1c2, but its stacks follow 2f1c9ab.\n  next: See why: gitmoor channel log beta\n',
    )
  })

  describe('of a commit at which a stack cannot be planned', () => {
    const error = {
      status: 'invalid',
      code: 'package/syntax',
      message: 'a.yml:3 cannot be read.',
      hint: 'Add a ].',
    } as const
    const open = (): Promise<TestShell> =>
      openTestShell({
        previewPromotion: async () => ({
          ...samplePromotion,
          stacks: ['boards', 'broken'],
          plans: [
            { stack: 'boards', plan: samplePlan },
            { stack: 'broken', error },
          ],
        }),
      })

    test('shows its error, and says so in the question', async () => {
      const shell = await open()
      const { code, stderr } = await answer(shell, 'no\n')
      expect([code, verbs(shell)]).toEqual([12, ['previewPromotion']])
      expect(stderr).toContain('broken cannot be planned at 2f1c9ab:\n')
      expect(stderr).toMatch(/error:\S* a\.yml:3 cannot be read\.\n {4}next: Add a \]\.\n/)
      expect(stderr).toContain('from 81d0c3e, although broken cannot be planned there?')
    })

    test.each(['', '--yes'])('promotes nothing without a person, and ends as the plan does: %s', async (options) => {
      const shell = await open()
      const { code, stderr } = await shell.type(`${promote} ${options}`)
      expect([code, verbs(shell)]).toEqual([1, ['previewPromotion']])
      expect(stderr).toContain('error: Nothing was promoted: broken cannot be planned at 2f1c9ab.\n')
      expect(stderr).toContain('  next: Promote anyway: --yes --allow-failed-plans\n')
      const json = await shell.type(`${promote} ${options} --json`)
      expect(JSON.parse(json.stderr)).toMatchObject({
        error: {
          status: 'invalid',
          code: 'package/syntax',
          problems: [{ message: 'broken: a.yml:3 cannot be read.' }],
        },
      })
    })

    test('promotes it with --allow-failed-plans', async () => {
      const shell = await open()
      expect((await shell.type(`${promote} --yes --allow-failed-plans`)).code).toBe(0)
      expect(verbs(shell)).toContain('promoteTag')
    })
  })

  test('waits for the stacks that it moves, and ends with the worst code of their runs', async () => {
    const shell = await openTestShell({ getRun: async () => ({ ...sampleRun, outcome: 'failed' }) })
    expect((await shell.type(`${promote} --yes`)).code).toBe(6)
    expect((await shell.type(`${promote} --yes --no-wait`)).code).toBe(0)
    expect(verbs(shell).filter((verb) => verb === 'getRun')).toHaveLength(1)
  })

  test('says what keeps the stacks from the commit, with 7 if that needs a person', async () => {
    const next = [{ purpose: 'Release it', verb: 'channel approve', args: {}, cli: 'gitmoor channel approve 13' }]
    const blocker = { reason: 'MoveNeedsApproval', message: 'Move 13 goes back.', since: null, until: null, next }
    const blocked = (reason: string): Promise<TestShell> =>
      openTestShell({ promoteTag: async () => ({ ...samplePromoted, moved: [], blockers: [{ ...blocker, reason }] }) })
    const { code, stdout } = await (await blocked('MoveNeedsApproval')).type(`${promote} --yes`)
    expect(code).toBe(7)
    expect(stdout).toContain('Move 13 goes back.\n  next: Release it: gitmoor channel approve 13\n')
    expect((await (await blocked('MoveWaiting')).type(`${promote} --yes`)).code).toBe(0)
  })

  test('of what is there already ends with 0, says so and does not ask', async () => {
    const before = { object: samplePromotion.commit, commit: samplePromotion.commit }
    const shell = await openTestShell({
      previewPromotion: async () => ({ ...samplePromotion, before }),
      promoteTag: async () => ({ ...samplePromoted, before, moved: [], already: true }),
    })
    expect(await shell.type(promote)).toEqual({
      code: 0,
      stdout: 'stable is already at 2f1c9ab. Nothing to promote.\n',
      stderr: '',
    })
  })
})

test('a rollback that another one replaced meanwhile ends with 1, and says who rolled back where', async () => {
  const pinned = { run: '7', revision: 'stable@sha1:81d0c3e', by: 'ben', why: 'it was better' }
  const shell = await openTestShell({ getStack: async () => ({ ...sampleStack, pinned }) })
  const { code, stderr } = await shell.type('rollback boards 12 --yes')
  expect(code).toBe(1)
  expect(stderr).toContain(
    'error: ben rolled boards back to run 7 meanwhile.\n  next: See both: gitmoor history boards\n',
  )
})

describe('a pin', () => {
  const pin = 'channel pin stable 81d0c3e --why audit'

  test('shows the plans of the stacks that move before it asks', async () => {
    const shell = await openTestShell()
    const { code, stderr } = await shell.type(pin)
    expect([code, verbs(shell)]).toEqual([7, ['previewPin']])
    expect(stderr).toContain('Dashboard/ops')
    expect(stderr).toContain('Not planned before they move: edge')
    expect(stderr).toContain('#stable at 81d0c3e? boards, edge move there.')
  })

  test('of a place that does not exist asks nothing', async () => {
    const previewPin = async (): Promise<never> => {
      throw new Refused('usage', 'deadbeef is neither a move of stable nor one commit that it pointed to.')
    }
    const { code, stderr } = await (await openTestShell({ previewPin })).type(pin)
    expect(code).toBe(3)
    expect(stderr).toMatch(/^error: deadbeef is neither a move/)
  })
})

describe('an approval', () => {
  const approve = 'channel approve 3 --why because'
  const question = 'Release move 3 of https://git.example/boards#stable (2f1c9ab)'
  const error = { status: 'invalid', code: 'package/syntax', message: 'No.' } as const

  test('shows the plans of the stacks that move before it asks', async () => {
    const shell = await openTestShell()
    const { code, stderr } = await shell.type(approve)
    expect([code, shell.calls[0]]).toMatchObject([7, { verb: 'previewApproval', args: ['3', { plans: true }] }])
    expect(verbs(shell)).toEqual(['previewApproval'])
    expect(stderr).toContain('Dashboard/ops')
    expect(stderr).toContain('Not planned before they move: edge')
    expect(stderr).toContain(`${question}? boards, edge move there.`)
    expect(stderr).toMatch(/next: Pass --yes to confirm\.\n$/)
  })

  test.each([
    [{ stacks: ['boards'] }, '? boards moves there.'],
    [{ stacks: [], plans: [] }, '? No stack follows it.'],
    [{ plans: [{ stack: 'boards', error }] }, ', although boards cannot be planned there? boards, edge move there.'],
  ])('says what becomes of the stacks: %j', async (changed, consequence) => {
    const shell = await openTestShell({ previewApproval: async () => ({ ...sampleApprovalPreview, ...changed }) })
    expect((await shell.type(`${approve} --allow-failed-plans`)).stderr).toContain(`${question}${consequence}`)
  })

  test.each([
    ['yes', 0, ['previewApproval', 'approveMove']],
    ['no', 12, ['previewApproval']],
  ])('releases the move only if the answer is yes: %s', async (answer, ends, asked) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    stdin.end(`${answer}\n`)
    const shell = await openTestShell()
    const { code } = await shell.type(approve, { terminal: true, stdin })
    expect([code, verbs(shell)]).toEqual([ends, asked])
  })

  test('asks nothing with --yes, but plans', async () => {
    const shell = await openTestShell()
    expect((await shell.type(`${approve} --yes`)).code).toBe(0)
    expect(verbs(shell)).toEqual(['previewApproval', 'approveMove'])
    expect(shell.calls[0]!.args).toMatchObject(['3', { plans: true }])
  })

  test('of a move that cannot be approved asks nothing', async () => {
    const previewApproval = async (): Promise<never> => {
      throw new Refused('conflict', 'Move 3 is released already.')
    }
    const shell = await openTestShell({ previewApproval })
    const { code, stderr } = await shell.type(approve)
    expect([code, stderr]).toEqual([1, 'error: Move 3 is released already.\n'])
  })
})

describe.each([
  ['channel pin stable 81d0c3e --why audit', 'Nothing was pinned', 'Pin anyway', 'pinChannel', '81d0c3e'],
  ['channel approve 3 --why audit', 'Nothing was approved', 'Approve anyway', 'approveMove', '2f1c9ab'],
] as const)('%s, to a commit at which a stack cannot be planned', (line, nothing, anyway, verb, commit) => {
  const error = { status: 'source', code: 'source/path-missing', message: 'There is nothing at none.' } as const
  const changed = { stacks: ['boards', 'broken'], plans: [{ stack: 'boards' }, { stack: 'broken', error }] }
  const open = (): Promise<TestShell> =>
    openTestShell({
      previewPin: async () => ({ ...samplePinPreview, ...changed }),
      previewApproval: async () => ({ ...sampleApprovalPreview, ...changed }),
    })

  test.each(['', '--yes'])('changes nothing without a person, and ends as the plan does: %s', async (options) => {
    const shell = await open()
    const { code, stderr } = await shell.type(`${line} ${options}`)
    expect(stderr).toContain(`error: ${nothing}: broken cannot be planned at ${commit}.\n`)
    expect(stderr).toContain(`  next: ${anyway}: --yes --allow-failed-plans\n`)
    expect(code).toBe(5)
    const json = await shell.type(`${line} ${options} --json`)
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: { code: 'source/path-missing', problems: [{ message: 'broken: There is nothing at none.' }] },
    })
    expect(verbs(shell)).not.toContain(verb)
  })

  test('asks a person at a terminal', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    stdin.end('yes\n')
    const shell = await open()
    const { code, stderr } = await shell.type(line, { terminal: true, stdin })
    expect([code, verbs(shell)]).toMatchObject([0, [expect.stringMatching(/^preview/), verb]])
    expect(stderr).toContain(', although broken cannot be planned there?')
  })

  test('does it with --allow-failed-plans, and does not wait for plans', async () => {
    const shell = await open()
    expect((await shell.type(`${line} --yes --allow-failed-plans --no-wait`)).code).toBe(0)
    expect(verbs(shell)).toEqual([verb])
  })
})

describe('a veto', () => {
  test.each([
    [{}, 'boards, edge go back to 81d0c3e.'],
    [{ stacks: ['boards'] }, 'boards goes back to 81d0c3e.'],
    [{ commit: null }, 'No commit was released before it: boards, edge stay as they are.'],
    [{ commit: null, stacks: ['boards'] }, 'No commit was released before it: boards stays as it is.'],
    [{ stacks: [] }, 'No stack follows it.'],
  ])('says what becomes of the stacks, and needs --yes without a terminal: %j', async (changed, consequence) => {
    const shell = await openTestShell({ previewVeto: async () => ({ ...sampleVetoPreview, ...changed }) })
    const { code, stderr } = await shell.type('channel veto 3 --why because')
    expect([code, verbs(shell)]).toEqual([7, ['previewVeto']])
    expect(stderr).toContain(`Veto move 3 of https://git.example/boards#stable (2f1c9ab)? ${consequence}`)
  })

  test('waits for the stacks that it moves, and ends with the code of the run that did not succeed', async () => {
    const run = { ...sampleRun, phase: 'needs-approval', outcome: 'needs-approval', plan: samplePlan } as const
    const shell = await openTestShell({ getRun: async () => run })
    const { code, stdout } = await shell.type('channel veto stable@latest --why because --yes')
    expect(stdout).toContain('next: gitmoor approve boards 3fa9c0d1e2b4')
    expect([code, verbs(shell)]).toEqual([7, ['listMoves', 'vetoMove', 'getRun']])
  })

  test('of the only release names the stacks that stay at it', async () => {
    const stay = async (...stacks: readonly string[]): Promise<string> => {
      const shell = await openTestShell({ vetoMove: async () => ({ ...sampleDecidedMove, moved: [], stay: stacks }) })
      return (await shell.type('channel veto 3 --why because --yes')).stdout
    }
    expect(await stay('boards')).toContain('\nNo commit was released before it, so boards stays as it is,')
    expect(await stay('boards', 'edge')).toContain('so boards, edge stay as they are, at the vetoed commit.\n')
  })

  test('ends with the worst code of the runs', async () => {
    const moved = ['boards', 'edge'].map((stack, at) => ({ stack, run: String(at), revision: sampleRun.revision }))
    const waiting = { ...sampleRun, phase: 'needs-approval', outcome: 'needs-approval' } as const
    const shell = await openTestShell({
      vetoMove: async () => ({ ...sampleDecidedMove, moved }),
      getRun: async (stack) => (stack === 'boards' ? waiting : { ...sampleRun, outcome: 'failed' }),
    })
    expect((await shell.type('channel veto 3 --why because --yes')).code).toBe(6)
  })

  test('prints the move and the runs with --json', async () => {
    const shell = await openTestShell()
    const wire = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
    expect(JSON.parse((await shell.type('channel veto 3 --why because --yes --json')).stdout)).toEqual(
      wire({ ...sampleDecidedMove, runs: [sampleRun] }),
    )
    expect(JSON.parse((await shell.type('channel veto 3 --why because --yes --json --no-wait')).stdout)).toEqual(
      wire(sampleDecidedMove),
    )
  })
})

describe('a move', () => {
  const named = async (words: string): Promise<unknown> => {
    const gone = { ...sampleMove, id: '9', to: null, state: 'gone' } as const
    const shell = await openTestShell({
      listMoves: async (_, { after }) => ({
        items: after === undefined ? [gone, sampleMove] : [sampleMove],
        next: null,
      }),
    })
    const { code } = await shell.type(`channel veto ${words} --why because --no-wait --yes`)
    return code === 0 ? shell.calls.at(-1)!.args[0] : code
  }

  test.each([
    ['12', '12'],
    ['stable 3', '3'],
    ['stable@3', '3'],
    ['https://git.example/boards#stable@3', '3'],
    ['git@git.example:boards#stable@latest', '3'],
    ['stable latest', '3'],
    ['stable 4', 9],
    ['stable x', 9],
    ['stable', 3],
    ['git@git.example:boards#stable', 3],
  ])('named %s is %s', async (words, expected) => {
    expect(await named(words)).toBe(expected)
  })
})

describe('a channel of a local directory', () => {
  test.each([
    ['channel log ./boards#stable', 'listMoves'],
    ['channel log boards#stable --decisions', 'listDecisions'],
    ['channel log DIRECTORY/boards#stable', 'listMoves'],
    ['channel pin ./boards#stable --why because --no-wait', 'pinChannel'],
    ['channel unpin ./boards#stable --yes --no-wait', 'unpinChannel'],
    ['channel veto ./boards#stable latest --why because --yes --no-wait', 'listMoves'],
    ['channel approve ./boards#stable@latest --why because --yes --no-wait', 'listMoves'],
  ])('is named as in --repo: %s', async (line, verb) => {
    const shell = await openTestShell()
    const boards = join(shell.directory, 'boards')
    await mkdir(boards)
    expect((await shell.type(line.replace('DIRECTORY', shell.directory))).code).toBe(0)
    expect(shell.calls.find((call) => call.verb === verb)!.args[0]).toBe(`${pathToFileURL(boards).href}#stable`)
  })

  test('is named so for a promotion, too', async () => {
    const shell = await openTestShell()
    await mkdir(join(shell.directory, 'boards'))
    await shell.type('channel promote ./boards#beta stable --why because --yes')
    expect(shell.calls[0]!.args[0]).toEqual({
      from: `${pathToFileURL(join(shell.directory, 'boards')).href}#beta`,
      to: 'stable',
    })
  })
})

test('a saved plan of a blocked stack says when it can be applied', async () => {
  const blockers = ['Suspended', 'Pinned', 'Window'].map((reason) => ({
    reason,
    message: `${reason}.`,
    since: null,
    until: null,
    next: [],
  }))
  const shell = await openTestShell({ previewPlan: async () => ({ ...samplePlan, blockers }) })
  const { stdout, stderr } = await shell.type('plan boards --out boards.plan')
  expect(stdout).toMatch(/\nblocked: Suspended\.\nblocked: Pinned\.\nblocked: Window\.\n$/)
  expect(stderr).toContain(
    'Saved plan to boards.plan. Apply it when the stack is resumed and the window is open: gitmoor apply boards.plan\n',
  )
})

test('a saved plan says how to apply it', async () => {
  const shell = await openTestShell()
  expect((await shell.type('plan boards --out boards.plan')).stderr).toContain(
    'Saved plan to boards.plan. Apply it: gitmoor apply boards.plan\n',
  )
  expect((await shell.type('plan boards --ref beta --out b.plan')).stderr).toContain(
    'Saved plan to b.plan. Apply it when the stack follows beta: gitmoor apply b.plan\n',
  )
  expect((await shell.type(['plan', 'boards', '--out', 'my plan'])).stderr).toContain("gitmoor apply 'my plan'\n")
  expect((await shell.type('plan boards --out boards.plan --json')).stderr).toBe('')
  const own = 'boards also applies it by itself'
  expect((await shell.type('plan boards --out boards.plan')).stderr).not.toContain(own) // it needs approval
  const auto = await openTestShell({ previewPlan: async () => ({ ...samplePlan, needsApproval: [] }) })
  expect((await auto.type('plan boards --out boards.plan')).stderr).toContain(
    `${own}, soon after it finds the revision.\n` +
      '  Let every plan wait for approval: gitmoor stack set boards --apply approval\n',
  )
  const spec = { ...sampleStack.spec, apply: 'approval' } as const
  const asking = await openTestShell({
    previewPlan: async () => ({ ...samplePlan, needsApproval: [] }),
    getStack: async () => ({ ...sampleStack, spec }),
  })
  expect((await asking.type('plan boards --out boards.plan')).stderr).not.toContain(own)
})

test('a veto of a channel that does not exist says so, also without a move', async () => {
  const message = 'There is no channel nope.'
  const listMoves = async (): Promise<never> => Promise.reject(new Refused('not-found', message))
  const { code, stderr } = await (await openTestShell({ listMoves })).type('channel veto nope --why because')
  expect([code, stderr]).toEqual([9, `error: ${message}\n`])
})
