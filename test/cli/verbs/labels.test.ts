// Labels on the command line.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openTestShell } from '../type-command.js'

const source = '--repo https://git.example/boards'

describe('labels', () => {
  test('are given to a new stack', async () => {
    const shell = await openTestShell()
    await shell.type(`stack create boards ${source} --label team=ops --label example.com/tier=`)
    expect(shell.calls[0]?.args[0]).toMatchObject({ labels: { team: 'ops', 'example.com/tier': '' } })
  })

  test('are changed one by one', async () => {
    const shell = await openTestShell()
    expect((await shell.type('stack set boards --label team=data --label old-')).code).toBe(0)
    expect(shell.calls.find(({ verb }) => verb === 'updateStack')?.args[1]).toEqual({
      setLabels: { team: 'data', old: null },
    })
  })

  test('of a file are replaced one by one by options', async () => {
    const shell = await openTestShell()
    const { stdout } = await shell.type('stack get boards -o yaml')
    await writeFile(join(shell.directory, 'boards.yaml'), stdout)
    await shell.type('stack create boards -f boards.yaml --label team=data --label example.com/tier-')
    await shell.type('stack set boards -f boards.yaml --label team=data')
    expect(shell.calls.find(({ verb }) => verb === 'createStack')?.args[0]).toMatchObject({ labels: { team: 'data' } })
    expect(shell.calls.find(({ verb }) => verb === 'updateStack')?.args[1]).toMatchObject({
      labels: { team: 'ops', 'example.com/tier': 'edge' },
      setLabels: { team: 'data' },
    })
  })

  test.each(['--label team', '--label =ops', '--label -'])('%s is a usage error', async (option) => {
    const typed = await (await openTestShell()).type(`stack set boards ${option}`)
    expect(typed).toMatchObject({ code: 3, stdout: '' })
  })

  test.each([
    ['--label Team/x=ops', 'optionally after a DNS name and a slash'],
    ['--label team=-', '"setLabels.team" must be empty, or 1 to 63 of'],
  ])('%s is refused with the rule', async (option, rule) => {
    const typed = await (await openTestShell()).type(`stack set boards ${option}`)
    expect(typed.code).not.toBe(0)
    expect(typed.stderr).toContain(rule)
  })

  test('are shown by get and explain, and by list on request', async () => {
    const shell = await openTestShell()
    const labels = 'example.com/tier=edge,team=ops'
    expect((await shell.type('stack get boards')).stdout).toMatch(new RegExp(`^labels: +${labels}$`, 'm'))
    expect((await shell.type('stack list')).stdout).not.toContain(labels)
    expect((await shell.type('stack list --show-labels')).stdout).toContain(labels)
    expect(shell.calls.at(-1)!.args).toEqual([{ limit: 500 }])
    expect(JSON.parse((await shell.type('stack list --json')).stdout).items[0]).toMatchObject({
      labels: { team: 'ops' },
    })
  })
})
