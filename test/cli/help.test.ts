import { describe, expect, test } from 'vitest'
import { everyCommand, quietProgram } from './parse-command.js'
import { typeLine } from './type-command.js'

const commands = await everyCommand()
const verbs = [...commands.keys()]

test('the list of verbs is complete', () => {
  const stacks = [
    'create',
    'set',
    'push',
    'list',
    'get',
    'adopt',
    'release',
    'uninstall',
    'delete',
    'compare',
    'discover',
  ].map((verb) => `stack ${verb}`)
  const fleets = ['apply', 'plan', 'list', 'get', 'delete'].map((verb) => `fleet ${verb}`)
  const resources = ['list', 'get', 'edit', 'delete', 'create'].map((verb) => `resource ${verb}`)
  const targets = ['list', 'get', 'test'].map((verb) => `target ${verb}`)
  const webhooks = ['list', 'log', 'redeliver', 'test'].map((verb) => `webhook ${verb}`)
  const notifications = ['list', 'log', 'redeliver', 'test'].map((verb) => `notification ${verb}`)
  const others =
    'agent backup restore plan apply approve cancel sync wait history rollback unpin suspend resume explain export import doctor page validate schema completion'.split(
      ' ',
    )
  const channels = ['list', 'log', 'pin', 'unpin', 'veto', 'approve', 'promote'].map((verb) => `channel ${verb}`)
  expect([...verbs].sort()).toEqual(
    [
      ...stacks,
      ...fleets,
      ...resources,
      ...others,
      ...channels,
      ...targets,
      ...webhooks,
      ...notifications,
      'config check',
      'config show',
    ].sort(),
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

test.each(['rollback NAME RUN', 'channel veto CHANNEL MOVE', 'channel approve CHANNEL MOVE'])(
  'the usage shows what is required: %s',
  async (usage) => {
    const verb = usage.replaceAll(/ [A-Z]+/g, '')
    expect((await typeLine(`${verb} --help`, {})).stdout).toContain(`Usage: gitmoor ${usage} [OPTIONS]`)
  },
)

test.each(verbs)('help %s and -h print the same as --help', async (verb) => {
  const help = await typeLine(`${verb} --help`, {})
  expect(await typeLine(`help ${verb}`, {})).toEqual(help)
  expect(await typeLine(`${verb} -h`, {})).toEqual(help)
})

test.each([
  ['help', '--help'],
  ['help stack', 'stack --help'],
  ['--json help stack create', '--json stack create --help'],
  ['-h', '--help'],
  ['help plan boards', 'plan --help'],
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

test('only the help of stack create shows the defaults of settings, because stack set keeps what is not given', async () => {
  const about = '--interval DURATION +how often gitmoor polls the sources'
  expect((await typeLine('stack create --help', {})).stdout).toMatch(new RegExp(`${about} \\(default: 1m\\)`))
  const { stdout } = await typeLine('stack set --help', {})
  expect(stdout).toMatch(new RegExp(about))
  expect(stdout).not.toContain('default:')
})

test('--help lists the verbs in groups', async () => {
  const { stdout } = await typeLine('--help', {})
  const groups = [...stdout.matchAll(/^(\w+):\n((?: {2}.*\n)+)/gm)].map(([, heading, lines]) => [
    heading!,
    [...lines!.matchAll(/^ {2}([a-z]+) /gm)].map(([, verb]) => verb!),
  ])
  expect(Object.fromEntries(groups)).toMatchObject({
    Observe: ['plan', 'wait', 'history', 'explain', 'doctor', 'page'],
    Change: ['stack', 'import', 'fleet', 'sync', 'apply', 'approve', 'cancel', 'suspend', 'resume', 'resource'],
    Release: ['channel', 'rollback', 'unpin'],
    Operate: expect.arrayContaining(['agent', 'backup', 'restore', 'completion', 'help']) as string[],
  })
})

describe.each([60, 120])('with %i columns', (columns) => {
  test.each(['', 'stack', 'channel', ...verbs])('the help of %j fits', async (verb) => {
    const { stdout } = await typeLine(`${verb} --help`, { columns })
    const tooLong = stdout.split('\n').filter((line) => line.length > columns && /\S\s+\S/.test(line))
    expect(tooLong).toEqual([])
  })
})

test('in a pipe no line of the help is wrapped', async () => {
  const inPipe = await typeLine('stack create --help', { columns: null })
  const inTerminal = await typeLine('stack create --help', { columns: 10_000 })
  expect(inPipe).toEqual(inTerminal)
  expect(inPipe.stdout).toContain('--ref stable\n')
})

test('an example that needs several lines is one command for a shell', async () => {
  const { stdout } = await typeLine('stack create --help', { columns: 60 })
  const [, example] = /Example:\n([^]*)\n$/.exec(stdout)!
  expect(example).toContain(' \\\n')
  expect(example!.replaceAll(/ \\\n +/g, ' ').trim()).toBe(
    'gitmoor stack create boards --repo https://github.com/acme/boards --ref stable',
  )
})

/** One word for each meaning. A pair is written as KEY=VALUE. */
const metavariables = new Set(
  (
    'ACTION ADDRESS AT CHANNEL COMMIT CRON DELIVERY DIGEST DIR DURATION FAMILY FILE FLEET FORMAT FROM HEALTH HOOK ID KEY KIND LABEL MESSAGE RECEIVER ' +
    'MOVE N NAME NAMES PATH PHASE POLICY REF REFERENCE RUN SECTION SELECTOR SHELL STATE TARGET TEXT TO URL VALUE WHAT WHEN WHICH WHO WHOM ' +
    'ZONE HOST PORT'
  ).split(' '),
)

test('metavariables are upper-case words of one vocabulary', async () => {
  const program = await quietProgram()
  const used = [...commands.values(), program].flatMap(({ options, registeredArguments }) => [
    ...options.flatMap(({ flags }) => [...flags.matchAll(/[<[]([^>\]]+)[>\]]/g)].map(([, name]) => name!)),
    ...registeredArguments.map((argument) => argument.name()),
  ])
  const words = used.flatMap((name) => name.replace(/\.\.\.$/, '').split(/[=:]/))
  expect([...new Set(words)].filter((word) => !metavariables.has(word))).toEqual([])
})

test('the option for a reason is --why everywhere, with one meaning', () => {
  const reasons = [...commands.values()].flatMap(({ options }) =>
    options.filter(({ long, description }) => long === '--why' || /\breason\b/.test(description)),
  )
  expect(reasons.length).toBeGreaterThan(10)
  expect(new Set(reasons.map(({ long }) => long))).toEqual(new Set(['--why']))
  expect(new Set(reasons.map(({ description }) => description.replace(' (required)', '')))).toEqual(
    new Set(['the reason, for the record']),
  )
})
