import { describe, expect, test } from 'vitest'
import { Refused } from '../../../src/model/errors.js'
import type { MoveView } from '../../../src/views/channel.js'
import { sampleChannel, sampleExplanation, sampleMove } from '../../api/sample-views.js'
import { openTestShell, typeLine } from '../type-command.js'

/** The candidates after these words, the last of which is incomplete. */
async function offered(
  words: readonly string[],
  shell?: Awaited<ReturnType<typeof openTestShell>>,
): Promise<readonly string[]> {
  const line = ['complete', '--', ...words]
  const typed = shell === undefined ? await typeLine(line, {}) : await shell.type(line)
  expect(typed.code).toBe(0)
  return typed.stdout.split('\n').flatMap((text) => (text === '' ? [] : [text.split('\t')[0]!]))
}

describe('the next word', () => {
  test('is a verb with this prefix that --help lists', async () => {
    expect(await offered(['s'])).toEqual(['stack', 'sync', 'suspend', 'schema'])
    expect(await offered(['compl'])).toEqual(['completion'])
    expect(await offered(['stack', 'de'])).toEqual(['delete'])
  })

  test('is an option of the verb or of the program', async () => {
    expect(await offered(['plan', 'boards', '--d'])).toEqual(['--dir', '--detailed-exitcode', '--data'])
    expect(await offered(['plan', '--h'])).toEqual(['--help'])
  })

  test('is one of the choices of an option or an argument', async () => {
    expect(await offered(['stack', 'set', 'boards', '--drift', ''])).toEqual(['correct', 'report', 'ignore'])
    expect(await offered(['completion', ''])).toEqual(['bash', 'zsh', 'fish'])
  })

  test('is the digest of the plan that needs approval', async () => {
    const step = (verb: string, args: Readonly<Record<string, string>>) => ({ verb, args, cli: '', purpose: '' })
    const blocker = (rule: string) => ({
      reason: 'NeedsApproval',
      message: `The plan needs approval (${rule}).`,
      since: null,
      until: null,
      next: [step('plan', { stack: 'boards' }), step('approve', { stack: 'boards', digest: '3fa9c0d1e2b4' })],
    })
    const blockers = [blocker('deletions'), blocker('data-loss')]
    const shell = await openTestShell({ explainStack: async () => ({ ...sampleExplanation, blockers }) })
    expect(await offered(['approve', 'boards', ''], shell)).toEqual(['3fa9c0d1e2b4'])
    expect(await offered(['stack', 'create', 'boards', '--digest', ''], shell)).toEqual([])
  })

  test('is a stack of the agent, or a run of the stack', async () => {
    const shell = await openTestShell()
    const names = await offered(['sync', ''], shell)
    expect(names.length).toBeGreaterThan(0)
    expect(await offered(['sync', names[0]!], shell)).toEqual(names.filter((name) => name.startsWith(names[0]!)))
    expect((await offered(['rollback', names[0]!, ''], shell)).every((id) => /^\d+$/.test(id))).toBe(true)
  })

  test('is a target for the option of a target', async () => {
    const shell = await openTestShell()
    expect(await offered(['stack', 'create', 'boards', '--target', ''], shell)).toEqual(['local', 'lab'])
    expect(await offered(['stack', 'discover', '--target=la'], shell)).toEqual(['--target=lab'])
    expect(await offered(['target', 'test', 'lo'], shell)).toEqual(['local'])
    expect((await shell.type(['complete', '--', 'target', 'get', 'lo'])).stdout).toBe('local\tembedded, env=test\n')
    expect(await offered(['target', 'list', '-l', 'env=prod,env'], shell)).toEqual([
      'env=prod,env=prod',
      'env=prod,env=test',
    ])
  })

  test('is a label of the stacks, also after the conditions of a selector', async () => {
    const shell = await openTestShell()
    expect(await offered(['stack', 'set', 'boards', '--label', ''], shell)).toEqual([
      'example.com/tier=edge',
      'team=ops',
    ])
    expect(await offered(['sync', '-l', 'te'], shell)).toEqual(['team=ops'])
    expect(await offered(['plan', '--selector', '!old,te'], shell)).toEqual(['!old,team=ops'])
    expect(await offered(['stack', 'list', '--selector=te'], shell)).toEqual(['--selector=team=ops'])
  })

  test('is a label of the targets for --target-label', async () => {
    const labels = { env: 'prod', region: 'eu' }
    const eu1 = { name: 'eu1', platform: 'embedded', labels, stacks: 0, refused: null, organisation: 'eu1' }
    const shell = await openTestShell({ listTargets: async () => ({ items: [eu1], next: null }) })
    expect(await offered(['stack', 'create', 'boards', '--target-label', ''], shell)).toEqual(['env=prod', 'region=eu'])
    const { stdout } = await shell.type(['complete', '--', 'stack', 'create', 'boards', '--target', ''])
    expect(stdout).toBe('eu1\tembedded, env=prod,region=eu\n')
  })

  test('is a channel by its ref alone, if that is unique, and by its whole name', async () => {
    const one = await openTestShell()
    expect(await offered(['channel', 'log', ''], one)).toEqual(['stable', sampleChannel.name])
    const other = { ...sampleChannel, name: 'https://git.example/other#stable', remote: 'https://git.example/other' }
    const two = await openTestShell({ listChannels: async () => ({ items: [sampleChannel, other], next: null }) })
    expect(await offered(['channel', 'log', ''], two)).toEqual([sampleChannel.name, other.name])
  })

  test('is `latest` or a move of the channel on the line, newest first', async () => {
    const deleted: MoveView = { ...sampleMove, id: '4', to: null, state: 'released' }
    const shell = await openTestShell({ listMoves: async () => ({ items: [deleted, sampleMove], next: null }) })
    for (const verb of ['veto', 'approve', 'pin'])
      expect(await offered(['channel', verb, 'stable', ''], shell)).toEqual(['latest', '4', '3'])
    expect(shell.calls.map(({ verb, args: [channel] }) => [verb, channel])).toEqual(
      Array.from({ length: 3 }, () => ['listMoves', 'stable']),
    )
    const { stdout } = await shell.type(['complete', '--', 'channel', 'veto', 'stable', ''])
    expect(stdout.split('\n')).toEqual([
      'latest\tmove 3: 2f1c9ab, blocked, 2026-11-21 04:00:00Z',
      '4\tdeleted, released, 2026-11-21 04:00:00Z',
      '3\t2f1c9ab, blocked, 2026-11-21 04:00:00Z',
      '',
    ])
  })

  test('is no move of a channel that does not exist', async () => {
    const shell = await openTestShell({
      listMoves: () => Promise.reject(new Refused('not-found', 'No channel other.')),
    })
    expect(await offered(['channel', 'veto', 'other', ''], shell)).toEqual([])
  })

  test('is a resource of the stack on the line', async () => {
    const shell = await openTestShell()
    expect(await offered(['explain', 'boards', ''], shell)).not.toEqual([])
    expect(shell.calls.at(-1)).toMatchObject({ verb: 'listResources', args: [{ stack: 'boards' }] })
  })

  test('is nothing for a file or without an agent, so the shell offers files', async () => {
    expect(await offered(['agent', '--config', ''])).toEqual([])
    expect(await offered(['sync', ''])).toEqual([])
    expect(await offered(['validate', ''])).toEqual([])
  })
})
