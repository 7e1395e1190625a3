// `npm start` in a fresh clone, with its output in a pipe.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeFreshClone, startScript } from '../e2e/fresh-clone.js'
import { Processes, type Ended, type Started } from '../e2e/processes.js'
import { until } from '../e2e/until.js'

let root: string
let processes: Processes
beforeAll(() => {
  root = makeFreshClone()
  processes = new Processes(startScript(root))
})
afterAll(async () => {
  await processes[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

const start = (...options: readonly string[]): Started => processes.start(options, { cwd: root })

/** Waits until `npm start` prints a text, then stops it. */
async function stopAfter(started: Started, text: string): Promise<Ended> {
  await until(`it prints ${text}`, () => {
    if (started.child.exitCode !== null) throw new Error(`npm start ended: ${started.stderr()}`)
    return started.stderr().includes(text)
  })
  started.child.kill('SIGTERM')
  return started.ended
}

describe('an address that is in use', () => {
  let other: Server
  let address: string
  beforeAll(async () => {
    other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    address = `127.0.0.1:${(other.address() as AddressInfo).port}`
  })
  afterAll(() => other.close())
  const configuration = (): string => join(root, 'config/gitmoor.yaml')
  const before = readFileSync('config/gitmoor.yaml', 'utf8')
  afterEach(() => writeFileSync(configuration(), before))

  test.each([
    ['--listen', () => ['--listen', address]],
    ['--listen=', () => [`--listen=${address}`]],
    [
      'the configuration file',
      () => {
        writeFileSync(configuration(), before.replace('listen: 127.0.0.1:4470', `listen: ${address}`))
        return []
      },
    ],
  ])('of %s is reported before anything is built', async (_, options) => {
    const ended = await start(...options()).ended
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toBe(
      `error: ${address} is already in use.\n` +
        '  next: Stop the program that uses it, or choose another address: npm start -- --listen 127.0.0.1:4471\n',
    )
    expect([existsSync(join(root, 'dist')), existsSync(join(root, 'demo'))]).toEqual([false, false])
  })

  test('by the agent of the same directory is reported with its process', async () => {
    const file = join(root, 'agent.json')
    writeFileSync(file, JSON.stringify({ url: `http://${address}`, pid: process.pid }))
    const ended = await start('--listen', address, '--data', root).ended
    rmSync(file)
    expect(ended.stderr).toContain(`already runs, as process ${process.pid}. Use it: ./gitmoor stack list`)
  })
})

test('an address that this machine does not have is reported before anything is built', async () => {
  const ended = await start('--listen', '203.0.113.7:4470').ended
  expect(ended.code).toBe(1)
  expect(ended.stderr).toMatch(
    /^error: Cannot listen on 203\.0\.113\.7:4470: .*\n {2}next: Choose another address: npm/,
  )
})

test('without the packages it says to install them', async () => {
  const bare = makeFreshClone()
  rmSync(join(bare, 'node_modules'))
  await using elsewhere = new Processes(startScript(bare))
  const ended = await elsewhere.start([], { cwd: bare }).ended
  rmSync(bare, { recursive: true })
  expect(ended).toMatchObject({
    code: 1,
    stderr: 'error: The packages that gitmoor uses are not installed.\n  next: npm ci\n',
  })
})

const usage = /^Usage: gitmoor agent \[OPTIONS\]\n/

describe('the first start and the next ones', () => {
  const listen = ['--listen', '127.0.0.1:0'] as const

  test('the first builds, makes the demo, applies it and says what to try', async () => {
    const ended = await stopAfter(start(...listen), 'docs/tutorial.md continues from here.')
    expect(ended.code).toBe(0)
    const story = [
      'Building…\n',
      'Built in ',
      'Made a repository to play with in ./demo (tags: stable, beta).\n',
      'info  agent started  url=http://127.0.0.1:',
      'Run 1 of demo at stable@a53a80d: created by the configuration file.\n',
      '+ Dashboard/machines "Machines"',
      'demo: applied stable@a53a80d',
      'git -C demo tag -f stable\n',
      'agent stops  signal=SIGTERM\n',
    ]
    const places = story.map((text) => ended.stderr.indexOf(text))
    expect(places.every((place) => place >= 0)).toBe(true)
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(ended.stderr).not.toContain('\u001b')
  })

  test('the next one neither builds nor makes the demo', async () => {
    const ended = await stopAfter(start(...listen), 'The repository ./demo is as you left it.')
    expect(ended.stderr).not.toMatch(/Building|Made a repository/)
  })

  test('with --log json stderr has JSON lines only', async () => {
    rmSync(join(root, '.gitmoor'), { recursive: true })
    const { stderr } = await stopAfter(start(...listen, '--log', 'json'), '"msg":"run ended"')
    const lines = stderr.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ level: 'info', msg: 'run ended', stack: 'demo', outcome: 'applied' }),
    )
  })

  test('after a build, --help prints the help at once, also if the address is in use', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = `127.0.0.1:${(other.address() as AddressInfo).port}`
    const ended = await start('--listen', address, '-h').ended
    other.close()
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect(ended.stdout).toMatch(usage)
  })

  test('after a change of a source, --help builds, prints the help, and makes neither the demo nor data', async () => {
    const main = join(root, 'src/main.ts')
    writeFileSync(main, `${readFileSync(main, 'utf8')}process.stderr.write('edited\\n')\n`)
    for (const made of ['demo', '.gitmoor']) rmSync(join(root, made), { recursive: true })
    const ended = await start('--help').ended
    expect([ended.code, ['demo', '.gitmoor'].filter((path) => existsSync(join(root, path)))]).toEqual([0, []])
    expect(ended.stderr).toMatch(/^Building…\nBuilt in \d+\.\d s\.\nedited\n$/)
    expect(ended.stdout).toMatch(usage)
  })

  test('a source that cannot be built ends it, and the next start tries again', async () => {
    writeFileSync(join(root, 'src/main.ts'), 'import {')
    for (const _ of [1, 2]) {
      const ended = await start(...listen).ended
      expect(ended.code).toBe(1)
      expect(ended.stderr).toMatch(/^Building…\n/)
    }
  })
})
