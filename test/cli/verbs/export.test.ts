// The command line's own words for an export, and where what comes of it goes.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sampleExport } from '../../api/sample-views.js'
import { openTestShell } from '../type-command.js'

describe('the request of an export:', () => {
  test.each<readonly [line: string, request: object]>([
    ['--stack boards', { stack: 'boards', resources: [] }],
    [
      '--resource Bucket=0a Task=0b --with-variables',
      {
        resources: [
          { kind: 'Bucket', id: '0a' },
          { kind: 'Task', id: '0b' },
        ],
        withVariables: true,
      },
    ],
    ['--named Bucket=a=b', { resources: [{ kind: 'Bucket', name: 'a=b' }] }],
    ['--all', { resources: [], targets: [{ target: 'local' }] }],
    [
      '--kind Bucket Check --target edge',
      { resources: [], target: 'edge', targets: [{ target: 'edge', kinds: ['Bucket', 'Check'] }] },
    ],
    ['--all --label prod', { resources: [], targets: [{ target: 'local', labels: ['prod'] }] }],
  ])('export %s', async (line, request) => {
    const shell = await openTestShell()
    expect((await shell.type(`export ${line}`)).code).toBe(0)
    expect(shell.calls).toEqual([{ verb: 'exportPackage', args: [request] }])
  })

  test.each(['', '--resource Bucket', '--resource =x', '--named Bucket=', '--target edge'])(
    'export %s is a usage error',
    async (line) => {
      const shell = await openTestShell()
      const { code, stdout } = await shell.type(`export ${line}`.trim())
      expect({ code, stdout, calls: shell.calls }).toEqual({ code: 3, stdout: '', calls: [] })
    },
  )
})

describe('the output of an export:', () => {
  test('warnings go to stderr, the package to stdout', async () => {
    const { stdout, stderr } = await (await openTestShell()).type('export --all')
    expect(stdout).not.toContain('Bucket/old')
    expect(stderr).toContain('Bucket/old of boards no longer exists on its target')
  })

  test('--json is one document that includes the warnings, and stderr is empty', async () => {
    const { stdout, stderr } = await (await openTestShell()).type('export --all --json')
    expect(JSON.parse(stdout)).toEqual(sampleExport)
    expect(stderr).toBe('')
  })

  test.each([
    ['out.yml', '', 'apiVersion: influxdata.com/v2alpha1\nkind: Label\n'],
    ['out.json', '', '[\n  {\n    "apiVersion"'],
    ['out.txt', '-o json', '[\n  {\n    "apiVersion"'],
  ])('-f %s %s writes the format', async (file, more, begins) => {
    const shell = await openTestShell()
    expect((await shell.type(`export --all -f ${file} ${more}`.trim())).code).toBe(0)
    expect((await readFile(join(shell.directory, file), 'utf8')).startsWith(begins)).toBe(true)
  })

  test('a file that cannot be written is a usage error', async () => {
    const { code, stderr } = await (await openTestShell()).type('export --all -f no/such/place.yml')
    expect(code).toBe(3)
    expect(stderr).toContain('Cannot write no/such/place.yml')
  })
})
