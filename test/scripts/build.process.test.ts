import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'

test('the program can be started at any moment of a build, which leaves nothing of the build before', async () => {
  writeFileSync('dist/earlier.js', '')
  const child = spawn(process.execPath, ['scripts/build.mjs'], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  let missing = 0
  while (child.exitCode === null) {
    if (!existsSync('dist/main.js')) missing++
    await pause(2)
  }
  expect([missing, await ended]).toEqual([0, [0, null]])
  expect(existsSync('dist/earlier.js')).toBe(false)
  expect(readdirSync('.').filter((name) => name.startsWith('.dist-'))).toEqual([])
})
