import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-count-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

function count(report: string | undefined): readonly [string, number | null] {
  const file = join(directory, 'report.json')
  if (report !== undefined) writeFileSync(file, report)
  const { stdout, status } = spawnSync(process.execPath, ['scripts/count-tests.mjs', file], { encoding: 'utf8' })
  return [stdout.trimEnd().split('\n').at(-1)!, status]
}

function report(passed: number, failed: number, files: readonly object[] = []): string {
  return JSON.stringify({ numPassedTests: passed, numFailedTests: failed, testResults: files })
}

const broken = { status: 'failed', assertionResults: [] }
const failing = { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] }

describe('counting tests', () => {
  test.each([
    ['that all passed ends well', report(12, 0), '12 passed, 0 failed', 0],
    ['of which one failed ends badly', report(11, 1, [failing]), '11 passed, 1 failed', 1],
    ['counts a file that cannot be loaded as failed', report(11, 0, [broken]), '11 passed, 1 failed', 1],
    ['of zero fails', report(0, 0), '0 passed, 0 failed', 1],
    ['without a report ends badly', undefined, '0 passed, 0 failed', 1],
    ['from half a report ends badly', '{"numPassedTests": 12', '0 passed, 0 failed', 1],
  ])('%s', (_, text, line, status) => {
    expect(count(text)).toEqual([line, status])
  })
})
