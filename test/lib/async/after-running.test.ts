import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { afterRunning } from '../../../src/lib/async/after-running.js'

test('calls once, not before its time', async () => {
  const began = performance.now()
  await new Promise<void>((resolve) => afterRunning(1_200, resolve))
  expect(performance.now() - began).toBeGreaterThanOrEqual(1_199)
})

test('never calls after it was cancelled', async () => {
  let called = false
  const callOff = afterRunning(20, () => (called = true))
  callOff()
  await pause(60)
  expect(called).toBe(false)
})

test('a stopped process reads arrived data before its time is up', async () => {
  using child = spawn(process.execPath, ['--input-type=module', '-e', childText], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.stdin.write('answer')
  await pause(1_700) // longer than the time it has and the lateness of a timer that still counts
  child.kill('SIGCONT')
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  expect(said.toString()).toBe('answer')
})

/** The function as it is, in a process of its own: it says what came first. */
const childText = `
const stepMs = 1_000, lateMs = 1_000
${afterRunning.toString()}
process.stdout.write('ready')
const end = (text) => { process.stdout.write(text); process.exit() }
afterRunning(300, () => end('time is up'))
process.stdin.once('data', (data) => end(data.toString()))
process.kill(process.pid, 'SIGSTOP')
`
