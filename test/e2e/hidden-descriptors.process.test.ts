// Systems other than Linux have no paths through descriptors. Here they are hidden from an agent, by a mount that only
// it sees.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { program } from './built.js'
import { typeHere } from './type-here.js'
import { until } from './until.js'

const hidden = ['--mount', 'sh', '-c', 'mount -t tmpfs none /proc/$$/fd && exec "$0" "$@"']
const canHide = spawnSync('unshare', [...hidden, 'true']).status === 0
if (!canHide)
  process.stderr.write('Mounts of its own are not permitted here: the test without descriptor paths is skipped.\n')

let root: string
let agent: ChildProcess | undefined
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-descriptors-')))
  cpSync('config', join(root, 'config'), { recursive: true })
  execFileSync(process.execPath, ['scripts/make-demo.mjs', join(root, 'demo')])
})
afterEach(async () => {
  const ended = agent && new Promise((resolve) => agent!.once('close', resolve))
  agent?.kill('SIGKILL')
  await ended
  rmSync(root, { recursive: true, force: true })
})

describe.skipIf(!canHide)('without paths through descriptors', () => {
  test('an agent follows a repository on its machine and promotes a tag there', async () => {
    const data = join(root, '.gitmoor')
    const words = ['agent', '--config', 'config/gitmoor.yaml', '--data', data, '--listen', '127.0.0.1:0']
    agent = spawn('unshare', [...hidden, process.execPath, program, ...words], { cwd: root, stdio: 'ignore' })
    await until('the agent is ready', () => existsSync(join(data, 'agent.json')))
    const type = (...args: readonly string[]): Promise<unknown> => typeHere([...args, '--data', data], { cwd: root })
    expect(await type('wait', 'demo')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('demo is synced at stable'),
    })
    const early = ['--repo', './demo', '--path', 'monitoring', '--ref', 'beta', '--target', 'staging']
    expect(await type('stack', 'create', 'early', ...early)).toMatchObject({ code: 0 })
    expect(await type('channel', 'promote', 'beta', 'stable', '--why', 'ready', '--yes')).toMatchObject({ code: 0 })
  })
})
