import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { isRunning } from '../../src/settings/is-running.js'

test('this process is running, and no process of an impossible id', () => {
  expect([isRunning(process.pid), isRunning(process.pid, Date.now())]).toEqual([true, true])
  expect([isRunning(0), isRunning(-1), isRunning(4_194_305)]).toEqual([false, false, false])
})

test.runIf(process.platform === 'linux')('a process that began later is another one', () => {
  expect(isRunning(process.pid, Date.now() - process.uptime() * 1000 - 3_600_000)).toBe(false)
})

test.runIf(process.platform === 'linux')(
  'a killed process is not running, also before its parent reads its end',
  async () => {
    // The shell becomes a program that never waits for its child.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
    const lines = createInterface({ input: parent.stdout })
    try {
      const [line] = (await once(lines, 'line')) as [string]
      const pid = Number(line)
      expect(isRunning(pid)).toBe(true)
      process.kill(pid, 'SIGKILL')
      await expect.poll(() => isRunning(pid)).toBe(false)
      expect(() => process.kill(pid, 0)).not.toThrow()
    } finally {
      lines.close()
      parent.kill('SIGKILL')
    }
  },
)
