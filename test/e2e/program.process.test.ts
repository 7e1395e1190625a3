// The shipped program: an agent as a process, the command line, and signals.
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { StackView } from '../../src/views/stack.js'
import { program as built } from './built.js'
import { bucket, label, yaml } from '../influxdb/packages.js'
import type { Started } from './processes.js'
import { useProgram } from './program.js'
import { typeHere } from './type-here.js'
import { until } from './until.js'

const program = useProgram({ once: true })
const { type, run, start, push, create, get, list } = program
/** Runs during every test; without stacks at its start. */
let agent: Started | undefined

beforeEach(async () => {
  program.server.reset()
  if (agent === undefined || agent.child.exitCode !== null || agent.child.signalCode !== null)
    agent = await program.agent()
})
afterEach(async () => {
  const removal = ['--uninstall', '--yes', '--consent', 'Bucket/*', '--override-window', '--why', 'the test has ended']
  for (const { name } of await list<StackView>('stack', 'list'))
    expect(await type('stack', 'delete', name, ...removal)).toMatchObject({ code: 0 })
})

test('a pipeline cannot sync past a freeze, unless it says so and why', async () => {
  await push(yaml(label('red')))
  expect(await type('stack', 'create', 'boards', '--repo', program.url)).toMatchObject({ code: 0 })
  const windows = "windows: [{ kind: deny, schedule: '* * * * *', duration: 1h, reason: release freeze }]"
  const freeze = join(program.root, 'freeze.yaml')
  const document = (await type('stack', 'get', 'boards', '-o', 'yaml')).stdout.replace(/^windows:.*\n/m, '')
  writeFileSync(freeze, `${document}\n${windows}\n`)
  expect(await type('stack', 'set', 'boards', '-f', freeze)).toMatchObject({ code: 0 })
  await push(yaml(label('red'), label('blue')))
  const refused = await type('sync', 'boards')
  expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('release freeze')])
  expect(await type('sync', 'boards', '--override-window')).toMatchObject({ code: 3 })
  expect((await get('boards')).resources).toHaveLength(1)
  expect(await type('sync', 'boards', '--override-window', '--why', 'INC-7')).toMatchObject({ code: 0 })
  expect((await get('boards')).resources).toHaveLength(2)
  expect((await type('history', 'boards')).stdout).toContain('INC-7')
})

test('a file that the shell hands over as a pipe is read', async () => {
  const create = '"$0" "$1" stack create boards --data "$2" -f <(printf "name: boards\\nsources: [{kind: inline}]\\n")'
  const words = ['-c', create, process.execPath, built, program.data]
  expect(execFileSync('bash', words, { encoding: 'utf8', cwd: program.root })).toContain('boards')
})

describe('from create to uninstall', () => {
  test('a person goes through the main job with the exit codes that scripts rely on', async () => {
    await push(yaml(label('red'), bucket('raw', { labels: ['red'] })), 'stable')
    expect(await run('stack', 'create', 'boards', '--repo', program.url, '--ref', 'stable')).toMatchObject({ code: 0 })
    const view = await get()
    expect(view).toMatchObject({ sync: 'Synced' })

    await push(yaml(label('red', { color: '#ffffff' }), bucket('raw', { labels: ['red'] }), bucket('more')), 'beta')
    expect(await run('plan', 'boards', '--ref', 'beta', '--detailed-exitcode')).toMatchObject({ code: 2 })
    const commit = await push(yaml(label('red'), bucket('raw', { labels: ['red'] }), bucket('more')), 'stable')
    expect(await type('sync', 'boards')).toMatchObject({ code: 0 })
    expect(await type('wait', 'boards', '--revision', commit.slice(0, 9))).toMatchObject({ code: 0 })
    expect(await type('plan', 'boards', '--detailed-exitcode')).toMatchObject({ code: 0 })

    await push(label('red'), 'stable')
    expect(await run('sync', 'boards')).toMatchObject({ code: 7 })
    const digest = /approve boards ([0-9a-f]{12})/.exec((await type('explain', 'boards')).stdout)![1]!
    expect(await run('approve', 'boards', '0'.repeat(12))).toMatchObject({ code: 8 })
    expect(await type('approve', 'boards', digest)).toMatchObject({ code: 0 })
    const history = await list<{ outcome: string }>('history', 'boards')
    expect(history.map(({ outcome }) => outcome)).toEqual(['applied', 'needs-approval', 'applied', 'applied'])
    expect(await type('stack', 'delete', 'boards', '--uninstall')).toMatchObject({ code: 7 })
    expect(await type('stack', 'delete', 'boards', '--uninstall', '--yes')).toMatchObject({ code: 0 })
    expect((await type('resource', 'list')).stdout).not.toContain('red')
  })

  test('what goes wrong ends with its exit code and says what to do', async () => {
    await push(label('red'))
    const cases: readonly (readonly [number, RegExp, readonly string[]])[] = [
      [9, /no stack named nothing[^]*next:/, ['stack', 'get', 'nothing']],
      [5, /missing[^]*next:/, ['stack', 'create', 'a1', '--repo', program.url, '--ref', 'missing']],
      [3, /NAME must be 1 to 63/, ['stack', 'create', 'A_B', '--repo', program.url]],
      [3, /frobnicate[^]*next:/, ['stack', 'frobnicate']],
      [3, /No stack given[^]*next:/, ['sync']],
      [9, /target named nowhere[^]*next:/, ['stack', 'create', 'a2', '--repo', program.url, '--target', 'nowhere']],
    ]
    for (const [code, said, args] of cases) {
      const ended = await type(...args)
      expect({ args, code: ended.code }).toEqual({ args, code })
      expect(ended.stderr).toMatch(said)
    }
    await create('boards')
    await type('suspend', 'boards', '--why', 'lunch')
    expect(await type('sync', 'boards')).toMatchObject({ code: 10 })
    await type('resume', 'boards')
    expect(await type('wait', 'boards', '--revision', 'abcdef0', '--timeout', '200ms')).toMatchObject({ code: 11 })
    expect(agent!.stderr()).not.toMatch(/unexpected error/)
  })

  test('a wrong token is refused with 4, an unknown host with 421, health without a token', async () => {
    const { url: address } = program.address
    const env = { GITMOOR_URL: address, GITMOOR_TOKEN: 'wrong' }
    expect(await typeHere(['stack', 'list'], { cwd: program.root, env })).toMatchObject({ code: 4 })
    const { request } = await import('node:http')
    const status = (path: string, host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        request(`${address}${path}`, { headers: { Host: host } }, (answer) => resolve(answer.resume().statusCode))
          .on('error', reject)
          .end()
      })
    expect(await status('/api/v1/stacks', 'evil.example')).toBe(421)
    expect(await status('/healthz', 'evil.example')).toBe(200)
  })
})

describe('one agent for each data directory', () => {
  test('a second one ends with 10 and names the first, which continues', async () => {
    const second = await run('agent', '--listen', '127.0.0.1:0')
    expect(second.code).toBe(10)
    expect(second.stderr).toContain(`Another gitmoor agent uses ${program.data}: process `)
    expect(second.stderr).toContain(`at ${program.address.url}`)
    expect(second.stderr).toContain('--data')
    expect(await type('stack', 'list')).toMatchObject({ code: 0 })
  })

  test('one that cannot write its address ends and says so', async () => {
    const data = join(program.root, 'unwritable')
    const started = program.processes.start(['agent', '--data', data, '--listen', '127.0.0.1:0'], { cwd: program.root })
    mkdirSync(join(data, `agent.json.${started.child.pid}.new`), { recursive: true, mode: 0o700 })
    const ended = await started.ended
    expect([ended.code, ended.signal]).toEqual([1, null])
    expect(ended.stderr).toContain(`The data directory ${data} cannot be used`)
    expect(ended.stderr).not.toMatch(/^ {4}at /m)
  })

  test('a command without an agent says so', async () => {
    const ended = await typeHere(['stack', 'list', '--data', join(program.root, 'other')], { cwd: program.root })
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('gitmoor agent')
  })
})

describe('signals', () => {
  beforeEach(async () => {
    await push(label('red'))
    await create('boards', '--interval', '1h') // only who waits polls it
    program.server.reset()
  })

  test('SIGTERM stops it: waiting requests end, the process ends with 0, and the next one continues', async () => {
    const waiting = start('wait', 'boards', '--revision', 'abcdef0')
    await until('it waits', () => program.server.seen.length > 0)
    const began = Date.now()
    agent!.child.kill('SIGTERM')
    expect(await agent!.ended).toMatchObject({ code: 0 })
    expect(Date.now() - began).toBeLessThan(5_000)
    expect((await waiting.ended).code).not.toBe(0)
    agent = await program.agent()
    expect((await get()).sync).toBe('Synced')
  })

  test('Ctrl-C ends the waiting of a command with 12, and not the run', async () => {
    const waiting = start('wait', 'boards', '--revision', 'abcdef0')
    await until('it waits', () => program.server.seen.length > 0)
    waiting.child.kill('SIGINT')
    expect(await waiting.ended).toMatchObject({ code: 12 })
    expect(await type('stack', 'list')).toMatchObject({ code: 0 })
  })

  test('a reader that leaves early is no error', async () => {
    const listing = start('--help')
    listing.child.stdout!.destroy()
    expect((await listing.ended).stderr).not.toMatch(/EPIPE|Error/)
  })
})

describe('the configuration file', () => {
  const program = useProgram({ once: true })
  const { type, list, run } = program
  const config = (): string => join(program.root, 'gitmoor.yaml')
  const write = (...names: readonly string[]): void =>
    writeFileSync(
      config(),
      `stacks:\n${names.map((name) => `  - name: ${name}\n    sources: [{ url: '${program.url}' }]\n`).join('')}`,
    )

  test('SIGHUP reads it again, and a bad one changes nothing; without the file the next agent says so', async () => {
    await program.push(label('red'))
    write('one')
    const started = await program.agent('--config', config(), '--log', 'json')
    await until('it is made', async () => (await program.fetch('/api/v1/stacks/one')).ok)
    write('one', 'two')
    started.child.kill('SIGHUP')
    await until('it is read again', () => started.stderr().includes('configuration reloaded'))
    expect(started.stderr()).not.toContain('need a restart')
    expect((await type('stack', 'list')).stdout).toContain('two')
    appendFileSync(
      config(),
      "limits: { concurrency: 3 }\ncredentials: { ours: { match: 'https://a.example/', token: '${env:PATH}' } }\n",
    )
    started.child.kill('SIGHUP')
    await until('the other settings are named', () => started.stderr().includes('"settings":"limits"'))
    const doctor = await type('doctor', '--json')
    expect(doctor.stdout).toContain('need a restart: limits.')
    expect(doctor.stdout).toContain('credential ours')
    writeFileSync(config(), 'stakcs: []\n')
    started.child.kill('SIGHUP')
    await until('it is refused', () => started.stderr().includes('the previous configuration stays in use'))
    expect(started.stderr()).toContain('configuration refused')
    const refused = await type('doctor', '--json')
    expect(refused.code).toBe(1)
    expect(refused.stdout).toContain(`${config()}:1: Unknown key \\"stakcs\\".`)
    expect(await (await program.fetch('/metrics')).text()).toContain('gitmoor_config_last_reload_successful 0\n')
    const items = await list<StackView>('stack', 'list')
    expect(items.map(({ name, suspended, managedBy }) => ({ name, suspended, managedBy }))).toEqual([
      { name: 'one', suspended: null, managedBy: 'file' },
      { name: 'two', suspended: null, managedBy: 'file' },
    ])
    expect(await type('stack', 'set', 'one', '--interval', '30s')).toMatchObject({ code: 1 })

    started.child.kill('SIGTERM')
    await started.ended
    const start = `gitmoor agent --config ${config()} --listen 127.0.0.1:0 --log json --data ${program.data}`
    expect((await type('stack', 'list')).stderr).toContain(`Start it: ${start}\n`)
    const without = await program.agent()
    const message = `declared in ${config()}, but the agent was started without a configuration file`
    await until('it says so', () => without.stderr().includes(message))
    expect((await type('stack', 'list')).code).toBe(0)
    expect((await type('explain', 'one', '--json')).stdout).toContain(message)
  })

  test('with a bad one the agent does not start: 3, every problem with its line and what to do', async () => {
    writeFileSync(config(), `listne: 127.0.0.1:0\nstacks:\n${'  - name: A_B\n    sources: []\n'.repeat(2)}`)
    const ended = await run('agent', '--config', config())
    expect(ended.code).toBe(3)
    expect(ended.stderr).toContain('Did you mean "listen"')
    expect(ended.stderr).toMatch(/gitmoor\.yaml:3/)
    expect(ended.stderr).toMatch(/gitmoor\.yaml:4/)
    expect(ended.stderr).toContain('\n  next: Rename one of the two.\n')
  })
})

test('only its owner may read what the agent keeps', () => {
  expect(statSync(program.data).mode & 0o777).toBe(0o700)
  const files = readdirSync(program.data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.map(({ name }) => name)).toContain('gitmoor.db')
  const open = files.filter((entry) => (statSync(join(entry.parentPath, entry.name)).mode & 0o077) !== 0)
  expect(open.map(({ name }) => name)).toEqual([])
})
