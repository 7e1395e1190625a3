import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Check } from '../../../src/model/agent/check.js'
import { makeDirectory, openTestShell, typeLine } from '../type-command.js'

function plain({ directory }: { readonly directory: string }): Record<string, string> {
  return { GITMOOR_DATA: directory, NO_COLOR: '1' }
}

describe('doctor', () => {
  test('prints problems with their next steps before what passed, a summary, and exits with 1', async () => {
    const shell = await openTestShell()
    const typed = await shell.type('doctor')
    expect(typed).toMatchObject({ code: 1, stderr: '' })
    expect(typed.stdout.split('\n')).toEqual([
      'problem  key: /data/key is readable for everybody.',
      '         next: chmod 600 /data/key',
      'ok       database',
      '',
      '1 problem, 0 warnings, 1 check ok.',
      '',
    ])
    expect((await shell.type('doctor --full')).stdout).toContain('ok       database: integrity check passed, 1.0 MiB')
    expect(JSON.parse((await shell.type('doctor --json')).stdout)).toMatchObject({ worst: 'problem' })
  })

  test('prints a problem of several stacks once, with their names', async () => {
    const stacks = ['alerts', 'boards', ...Array.from({ length: 48 }, (_, at) => `s${at}`)]
    const remote = 'remote https://git.example/boards'
    const checks = [
      { name: remote, state: 'problem', message: 'No.', next: 'Wait.', affects: { count: 60, stacks } },
      { name: 'credential ours', state: 'problem', message: 'Refused.', next: 'Check it.', cause: remote },
      { name: 'stack alerts', state: 'problem', message: 'No.', next: 'Retry.', cause: remote },
      { name: 'stack other', state: 'problem', message: 'Typo.', next: 'Fix it.', cause: 'remote of nobody' },
    ] as const
    const shell = await openTestShell({ diagnose: async () => ({ checks, worst: 'problem' }) })
    expect((await shell.type('doctor', { terminal: true, columns: 60, environment: plain(shell) })).stdout).toBe(
      [
        `problem  ${remote}: No.`,
        '         affects 60 stacks: alerts, b… s46, s47, and 10 more',
        '         next: Wait.',
        'problem  stack other: Typo.',
        '         next: Fix it.',
        '',
        '2 problems, 0 warnings, 0 checks ok.',
        '',
      ].join('\n'),
    )
    expect((await shell.type('doctor')).stdout).toContain(`affects 60 stacks: ${stacks.join(', ')}, and 10 more\n`)
    expect(JSON.parse((await shell.type('doctor --json')).stdout)).toMatchObject({ checks })
  })

  test('counts the remotes, targets and stacks that are fine, and keeps what is to be done about the others', async () => {
    const ok = (name: string, next?: string): Check => ({ name, state: 'ok', message: 'Fine.', ...(next && { next }) })
    const checks: readonly Check[] = [
      ok('agent'),
      ok('event loop'),
      ...['a', 'b', 'c'].map((name) => ok(`remote https://git.example/${name}`)),
      ok('target local'),
      ok('stack pinned', 'gitmoor unpin pinned'),
      { name: 'ssh', state: 'skipped', message: 'ssh is not installed.' },
      { name: 'git', state: 'warning', message: 'git is too old.', next: 'Install git.' },
    ]
    const shell = await openTestShell({ diagnose: async () => ({ checks: [...checks], worst: 'warning' }) })
    expect((await shell.type('doctor')).stdout.split('\n')).toEqual([
      'warning  git: git is too old.',
      '         next: Install git.',
      'skipped  ssh: ssh is not installed.',
      'ok       stack pinned: Fine.',
      '         next: gitmoor unpin pinned',
      'ok       agent, event loop, 3 remotes, 1 target',
      '',
      '0 problems, 1 warning, 7 checks ok, 1 skipped.',
      '',
    ])
  })

  test('exits with 0 without a problem', async () => {
    const shell = await openTestShell({
      diagnose: async () => ({
        checks: [{ name: 'git', state: 'warning', message: 'old', next: 'x' }],
        worst: 'warning',
      }),
    })
    expect((await shell.type('doctor')).code).toBe(0)
  })

  test('checks the data directory itself if no agent runs', async () => {
    const directory = await makeDirectory()
    const calls: unknown[] = []
    const checkOffline = async (options: object) => {
      calls.push(options)
      return [{ name: 'agent', state: 'problem', message: 'No agent runs.', next: 'gitmoor agent' }] as const
    }
    const typed = await typeLine('doctor --config my.yaml', {
      environment: { GITMOOR_DATA: join(directory, 'data') },
      cwd: directory,
      checkOffline,
    })
    expect(typed).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^problem  agent: No agent runs\.\n         next: gitmoor agent\n/),
    })
    expect(calls).toEqual([{ data: join(directory, 'data'), config: 'my.yaml' }])
  })

  test('reports an unreachable agent of GITMOOR_URL as an error', async () => {
    const typed = await typeLine('doctor', { environment: { GITMOOR_URL: 'http://127.0.0.1:1', GITMOOR_TOKEN: 'x' } })
    expect(typed).toMatchObject({ code: 1, stdout: '' })
    expect(typed.stderr).toContain('No response from the agent at http://127.0.0.1:1')
  })
})
