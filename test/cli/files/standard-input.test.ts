// `-` names standard input wherever a command reads a file.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { writePlanFile } from '../../../src/cli/files/plan-file.js'
import { samplePlan } from '../../api/sample-views.js'
import { makeDirectory, openTestShell, typeLine } from '../type-command.js'

const input = (text: string): PassThrough => new PassThrough().end(text)

const stackText = 'name: boards\nsources: [{ url: https://git.example/boards.git }]\n'
const resourceText = 'family: Bucket\ndesired: { name: raw }\n'
const bucketText = 'apiVersion: influxdata.com/v2alpha1\nkind: Bucket\nmetadata: { name: raw }\n'

describe('- is standard input for', () => {
  const commands: Readonly<Record<string, readonly [text: string, use: string, body: object]>> = {
    'stack create boards --no-wait -f -': [stackText, 'createStack', { name: 'boards' }],
    'stack set boards -f -': ['name: boards\ntarget: staging\n', 'updateStack', { target: 'staging' }],
    'stack set boards --file -': ['target: staging\n', 'updateStack', { target: 'staging' }],
    'resource create -f -': [resourceText, 'createResource', { name: 'raw' }],
    'resource edit Bucket/raw -f -': ['name: daily\n', 'editResource', { name: 'daily' }],
    'stack push boards --no-wait --secret-file key=- -f .': ['s3cret\n', 'pushPackage', { secrets: { key: 's3cret' } }],
  }
  test.each(Object.entries(commands))('%s', async (line, [text, use, body]) => {
    const shell = await openTestShell()
    await writeFile(join(shell.directory, 'a.yml'), bucketText)
    expect((await shell.type(line, { stdin: input(text) })).code).toBe(0)
    const call = shell.calls.find(({ verb }) => verb === use)!
    expect(call.args).toContainEqual(expect.objectContaining(body))
  })

  test('apply -', async () => {
    const shell = await openTestShell()
    await writePlanFile('a.plan', shell.directory, samplePlan)
    const text = await readFile(join(shell.directory, 'a.plan'), 'utf8')
    expect((await shell.type('apply -', { stdin: input(text) })).code).toBe(0)
  })

  test('validate -, which recognizes a configuration', async () => {
    const options = { cwd: await makeDirectory() }
    const bad = bucketText.replace('kind: Bucket', 'kind: Buckett')
    expect((await typeLine('validate -', { ...options, stdin: input(bucketText) })).stdout).toBe('-: valid: 1 Bucket\n')
    expect((await typeLine('validate -', { ...options, stdin: input(bad) })).stdout).toContain('stdin.yml:2')
    expect((await typeLine('validate -', { ...options, stdin: input('stacks: []\n') })).stdout).toContain(
      'configuration',
    )
  })

  test('config check -, which names the line', async () => {
    const typed = await typeLine('config check -', {
      cwd: await makeDirectory(),
      stdin: input('stacks: []\nlisten: 7\n'),
    })
    expect(typed.stdout).toContain('-:2')
    expect(typed.code).toBe(1)
  })
})

test('standard input is read for one file only', async () => {
  const shell = await openTestShell()
  const typed = await shell.type('stack push boards --secret-file key=- -f -', { stdin: input(bucketText) })
  expect(typed.stderr).toContain('Standard input was read before: `-` can name only one file.')
})

test.each(['plan boards --out -', 'export --all -f -', 'backup -'])('%s writes no file named -', async (line) => {
  const typed = await (await openTestShell()).type(line)
  expect(typed.stderr).toContain('`-` names standard input, so nothing can be written to it.')
  expect(typed.code).toBe(3)
})
