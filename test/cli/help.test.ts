import type { Command } from 'commander'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { declareWith } from '../../src/cli/invocation.js'
import { buildProgram } from '../../src/cli/program.js'
import { typeLine } from './type-command.js'

const program = await buildProgram([], {
  version: '0',
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  declare: declareWith(() => Promise.resolve()),
})
const leaves = (command: Command, path: readonly string[]): string[] =>
  command.commands.flatMap((one) => {
    const below = [...path, one.name()]
    return one.commands.length > 0 ? leaves(one, below) : [below.join(' ')]
  })
const verbs = leaves(program, [])

test('the list of verbs is complete', () => {
  const stacks = ['create', 'set', 'push', 'list', 'get', 'adopt', 'release', 'uninstall', 'delete', 'discover'].map(
    (verb) => `stack ${verb}`,
  )
  const resources = ['list', 'get', 'edit', 'delete', 'create'].map((verb) => `resource ${verb}`)
  const webhooks = ['list', 'log', 'redeliver', 'test'].map((verb) => `webhook ${verb}`)
  const others =
    'agent backup restore plan apply approve cancel sync wait history rollback unpin suspend resume explain export doctor validate'.split(
      ' ',
    )
  const channels = ['list', 'log', 'pin', 'unpin', 'veto', 'approve', 'promote'].map((verb) => `channel ${verb}`)
  expect([...verbs].sort()).toEqual(
    [...stacks, ...resources, ...others, ...channels, ...webhooks, 'completion', 'complete'].sort(),
  )
})

test.each(verbs)('%s --help shows an example and the global options', async (verb) => {
  const typed = await typeLine(`${verb} --help`, {})
  expect(typed.code).toBe(0)
  expect(typed.stdout).toContain(`Example:\n  gitmoor ${verb}`)
  for (const option of ['--data', '--json', '--token-file']) expect(typed.stdout).toContain(option)
})

test.each(['channel veto', 'channel promote', 'stack adopt', 'suspend', 'resource create'])(
  '%s --help marks the options that it requires',
  async (verb) => {
    expect((await typeLine(`${verb} --help`, {})).stdout).toMatch(/^ {2}-.*\(required\)$/m)
  },
)

test.each(verbs)('help %s prints the same as --help', async (verb) => {
  expect(await typeLine(`help ${verb}`, {})).toEqual(await typeLine(`${verb} --help`, {}))
})

test.each([
  ['help', '--help'],
  ['help stack', 'stack --help'],
  ['--json help stack create', '--json stack create --help'],
  ['help nothing', 'nothing --help'],
  ['help stack nothing', 'stack nothing --help'],
])('%s prints the same as %s', async (line, same) => {
  expect(await typeLine(line, {})).toEqual(await typeLine(same, {}))
})

test('--help lists the exit codes and the environment variables', async () => {
  const { code, stdout } = await typeLine('--help', {})
  expect(code).toBe(0)
  expect(stdout).toContain('8 stale plan')
  expect(stdout).toContain('GITMOOR_URL')
  expect(stdout).toContain('"problems"?')
})

test('--version prints the version', async () => {
  expect(await typeLine('--version', {})).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
})
