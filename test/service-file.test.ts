import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'gitmoor-unit-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** The unit with programs and users that this machine has; what it says besides is what is checked. */
function unitHere(): string {
  const unit = join(directory, 'gitmoor.service')
  const text = readFileSync('config/gitmoor.service', 'utf8')
  writeFileSync(
    unit,
    text
      .replaceAll('/usr/local/bin/gitmoor', process.execPath)
      .replaceAll('/usr/bin/curl', process.execPath)
      .replace('User=gitmoor', 'User=daemon'),
  )
  return unit
}

const analyze = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!analyze)('systemd takes the unit as it is, without a warning', () => {
  const { stderr, status } = spawnSync('systemd-analyze', ['verify', '--man=no', unitHere()], { encoding: 'utf8' })
  expect(stderr.split('\n').filter((line) => line.includes('gitmoor.service'))).toEqual([])
  expect(status).toBe(0)
})

test.skipIf(!analyze)('systemd finds that the unit exposes little', () => {
  const report = execFileSync('systemd-analyze', ['security', '--offline=true', '--no-pager', unitHere()], { encoding: 'utf8' })
  const exposure = /Overall exposure level for \S+ (?:\S+ )?([\d.]+)/.exec(report)?.[1]
  expect(Number(exposure)).toBeLessThan(2)
})

test('the unit gives the agent longer to park than the agent takes', () => {
  const text = readFileSync('config/gitmoor.service', 'utf8')
  expect(Number(/^TimeoutStopSec=(\d+)s$/m.exec(text)?.[1])).toBeGreaterThan(10)
})
