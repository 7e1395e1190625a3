import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeDirectory, openTestShell, typeLine } from '../type-command.js'

function plain({ directory }: { readonly directory: string }): Record<string, string> {
  return { GITMOOR_DATA: directory, NO_COLOR: '1' }
}

describe('doctor', () => {
  test('prints a line for each check, with its next step, and exits with 1 for a problem', async () => {
    const shell = await openTestShell()
    const typed = await shell.type('doctor')
    expect(typed).toMatchObject({ code: 1, stderr: '' })
    expect(typed.stdout.split('\n')).toEqual([
      'ok       database: integrity check passed, 1.0 MiB',
      'problem  key: /data/key is readable for everybody.',
      '         next: chmod 600 /data/key',
      '',
    ])
    expect(JSON.parse((await shell.type('doctor --json')).stdout)).toMatchObject({ worst: 'problem' })
  })

  test('prints a problem of several stacks once, with their names', async () => {
    const stacks = ['alerts', 'boards', ...Array.from({ length: 48 }, (_, at) => `s${at}`)]
    const remote = 'remote https://git.example/boards'
    const checks = [
      { name: remote, state: 'problem', message: 'No.', next: 'Wait.', affects: { count: 60, stacks } },
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
      ].join('\n'),
    )
    expect((await shell.type('doctor')).stdout).toContain(`affects 60 stacks: ${stacks.join(', ')}, and 10 more\n`)
    expect(JSON.parse((await shell.type('doctor --json')).stdout)).toMatchObject({ checks })
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
    expect(typed).toMatchObject({ code: 1, stdout: 'problem  agent: No agent runs.\n         next: gitmoor agent\n' })
    expect(calls).toEqual([{ data: join(directory, 'data'), config: 'my.yaml' }])
  })

  test('reports an unreachable agent of GITMOOR_URL as an error', async () => {
    const typed = await typeLine('doctor', { environment: { GITMOOR_URL: 'http://127.0.0.1:1', GITMOOR_TOKEN: 'x' } })
    expect(typed).toMatchObject({ code: 1, stdout: '' })
    expect(typed.stderr).toContain('No response from the agent at http://127.0.0.1:1')
  })
})
