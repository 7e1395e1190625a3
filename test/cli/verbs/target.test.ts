// What target commands print and end with.
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Finding } from '../../../src/model/problem.js'
import { refusedTarget, sampleTarget, sampleTargetTest } from '../../api/sample-views.js'
import { openTestShell, type TypeOptions } from '../type-command.js'

const lab = { ...sampleTarget, ...refusedTarget }

async function typed(
  line: string,
  changed: Parameters<typeof openTestShell>[0] = {},
  options: TypeOptions = { columns: null },
) {
  const shell = await openTestShell(changed)
  return { ...(await shell.type(line, options)), calls: shell.calls }
}

describe('target list', () => {
  test('prints a row for each target, and why one is refused', async () => {
    const { code, stdout } = await typed('target list')
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      'NAME   PLATFORM  STATE     STACKS  LABELS                          MESSAGE',
      'local  embedded  Declared  2       env=test',
      expect.stringMatching(/^lab {4}embedded {2}Refused {3}1 {7}env=prod,example\.com\/region=eu {2}Target lab is/),
      '',
    ])
  })

  test('fits into 80 columns', async () => {
    const { stdout } = await typed('target list', {}, { terminal: true, columns: 80 })
    for (const line of stdout.split('\n')) expect(line.replaceAll(/\u001b\[\d+m/g, '').length).toBeLessThanOrEqual(80)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('bound to embedded/old.')
  })

  test('passes the selector on, and says so if it selects none', async () => {
    const none = { listTargets: async () => ({ items: [], next: null }) }
    const { stdout, calls } = await typed('target list -l env=prod,!old', none)
    expect(calls[0]).toMatchObject({ verb: 'listTargets', args: [{ selector: [{ key: 'env' }, { key: 'old' }] }] })
    expect(stdout).toBe('No target has the labels env=prod,!old. List all: gitmoor target list\n')
    expect((await typed('target list', none)).stdout).toContain('Declare them under "targets"')
    expect((await typed('target list -l team=o*s')).code).toBe(3)
  })

  test('prints the section of a configuration file, or JSON', async () => {
    expect(parse((await typed('target list -o yaml')).stdout)).toEqual({
      targets: {
        local: { platform: 'embedded', labels: { env: 'test' }, organisation: 'main' },
        lab: { platform: 'embedded', labels: refusedTarget.labels, organisation: 'lab' },
      },
    })
    expect(JSON.parse((await typed('target list -o json')).stdout)).toEqual({ items: [sampleTarget, lab], next: null })
  })
})

describe('target get', () => {
  test('prints the settings, and what to type next', async () => {
    const { stdout } = await typed('target get local')
    expect(stdout.split('\n')).toEqual([
      'name:          local',
      'platform:      embedded',
      'labels:        env=test',
      'state:         Declared',
      'stacks:        2',
      'organisation:  main',
      '  next: Test the connection: gitmoor target test local',
      '',
    ])
  })

  test('of a refused target prints why', async () => {
    const { stdout } = await typed('target get lab', { getTarget: async () => lab })
    expect(stdout).toContain(`\n\nerror: ${refusedTarget.refused.message}\n  next: Declare it as embedded/old again`)
  })

  test('prints YAML and JSON', async () => {
    expect((await typed('target get local -o yaml')).stdout).toBe(
      'targets:\n  local:\n    platform: embedded\n    labels:\n      env: test\n    organisation: main\n',
    )
    for (const line of ['target get local -o json', 'target get local --json', 'target get local -o yaml --json'])
      expect(JSON.parse((await typed(line)).stdout)).toEqual(sampleTarget)
  })
})

describe('target test', () => {
  test('prints what the system says of itself, the warnings, and what to type next', async () => {
    const { code, stdout } = await typed('target test local')
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      'Target local (embedded) answered in 12 ms.',
      'version:       2.9.1',
      'organisation:  main',
      'warning: gitmoor may not write tasks.',
      '  next: Give the token this right.',
      '  next: Test it again: gitmoor target test local',
      '',
    ])
  })

  test.each<[string, readonly Finding[], number]>([
    ['target test local --strict', sampleTargetTest.warnings, 6],
    ['target test local --strict', [], 0],
    ['target test local', sampleTargetTest.warnings, 0],
  ])('%s with the warnings %j ends with %i', async (line, warnings, code) => {
    const testTarget = async () => ({ ...sampleTargetTest, warnings })
    expect((await typed(line, { testTarget })).code).toBe(code)
  })

  test('without warnings names the command that uses the target', async () => {
    const { stdout } = await typed('target test local', {
      testTarget: async () => ({ ...sampleTargetTest, about: { limits: { cells: 3 } }, warnings: [] }),
    })
    expect(stdout).toContain('limits:  {"cells":3}\n')
    expect(stdout).toContain('next: Apply a package to it: gitmoor stack create NAME --repo URL --target local')
  })

  test('of a target that fails ends with 6', async () => {
    const problem = { code: 'platform/failed', message: 'Connection refused.', hint: 'Start the server.' }
    const failed = { ...sampleTargetTest, ok: false, about: {}, warnings: [], problem }
    const { code, stdout } = await typed('target test local', { testTarget: async () => failed })
    expect(code).toBe(6)
    expect(stdout.split('\n')).toEqual([
      'Target local (embedded) failed after 12 ms.',
      'error: Connection refused.',
      '  next: Start the server.',
      '  next: Then test it again: gitmoor target test local',
      '',
    ])
  })
})

test.each(['target get', 'target test'])('%s refuses a name that would change the path', async (verb) => {
  expect(await typed(`${verb} ..`)).toMatchObject({ code: 3, calls: [] })
})
