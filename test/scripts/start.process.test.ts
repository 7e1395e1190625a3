// `npm start` with its output in a pipe: in a fresh clone, and in one that is built. Its first start, which builds and
// makes the demo, is in e2e/tutorial.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeFreshClone, startScript } from '../e2e/fresh-clone.js'
import { Processes, type Ended, type Started } from '../e2e/processes.js'
import { until } from '../e2e/until.js'

const { isFresh } = (await import(pathToFileURL(resolve('scripts/build-stamp.mjs')).href)) as {
  readonly isFresh: (root: string) => boolean
}
const { listenError } = (await import(pathToFileURL(resolve('scripts/listen-error.mjs')).href)) as {
  readonly listenError: (words: readonly string[]) => Promise<readonly string[] | undefined>
}

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
  const refusal = (): readonly string[] => [
    `error: ${address} is already in use.`,
    '  next: Stop the program that uses it, or choose another address: npm start -- --listen 127.0.0.1:4471',
  ]

  test('is reported before anything is built', async () => {
    const ended = await start('--listen', address).ended
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: `${refusal().join('\n')}\n` })
    expect([existsSync(join(root, 'dist')), existsSync(join(root, 'demo'))]).toEqual([false, false])
  })

  test('of --listen= and of the configuration file is reported, too', async () => {
    expect(await listenError([`--listen=${address}`])).toEqual(refusal())
    writeFileSync(configuration(), before.replace('listen: 127.0.0.1:4470', `listen: ${address}`))
    expect(await listenError(['--config', configuration()])).toEqual(refusal())
  })

  test('by the agent of the same directory is reported with its process', async () => {
    writeFileSync(join(root, 'agent.json'), JSON.stringify({ url: `http://${address}`, pid: process.pid }))
    const said = await listenError(['--listen', address, '--data', root])
    rmSync(join(root, 'agent.json'))
    expect(said![1]).toContain(`already runs, as process ${process.pid}. Use it: ./gitmoor stack list`)
  })
})

test('an address that this machine does not have is reported', async () => {
  const [error, next] = (await listenError(['--listen', '203.0.113.7:4470']))!
  expect(error).toMatch(/^error: Cannot listen on 203\.0\.113\.7:4470: ./)
  expect(next).toMatch(/^ {2}next: Choose another address: npm/)
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

describe('a clone that is built', () => {
  const listen = ['--listen', '127.0.0.1:0'] as const
  const dist = (): string => join(root, 'dist')
  const mainFile = (): string => join(root, 'src/main.ts')
  beforeAll(() => cpSync('dist', dist(), { recursive: true }))

  test('with --log json stderr has JSON lines only', async () => {
    const { stderr } = await stopAfter(start(...listen, '--log', 'json'), '"msg":"run ended"')
    const lines = stderr.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ level: 'info', msg: 'run ended', stack: 'demo', outcome: 'applied' }),
    )
  })

  test('the next start neither builds nor makes the demo, and ends as the agent does', async () => {
    const ended = await stopAfter(start(...listen), 'The repository ./demo is as you left it.')
    expect(ended.code).toBe(0)
    expect(ended.stderr).not.toMatch(/Building|Made a repository/)
    expect(ended.stderr).toContain('agent stops  signal=SIGTERM\n')
    expect(ended.stderr).not.toContain('\u001b')
  })

  test('--help prints the help at once, also if the address is in use', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const address = `127.0.0.1:${(other.address() as AddressInfo).port}`
    const ended = await start('--listen', address, '-h').ended
    other.close()
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect(ended.stdout).toMatch(usage)
  })

  test('a source that cannot be built ends it, and the next start tries again', async () => {
    const main = readFileSync(mainFile(), 'utf8')
    writeFileSync(mainFile(), 'import {')
    const ended = await start(...listen).ended
    expect([ended.code, isFresh(root)]).toEqual([1, false])
    expect(ended.stderr).toMatch(/^Building…\n/)
    writeFileSync(mainFile(), main)
  })

  test('after a change of a source, --help builds, prints the help, and makes neither the demo nor data', async () => {
    writeFileSync(mainFile(), `${readFileSync(mainFile(), 'utf8')}process.stderr.write('edited\\n')\n`)
    writeFileSync(join(dist(), 'earlier.js'), '')
    for (const made of ['demo', '.gitmoor']) rmSync(join(root, made), { recursive: true })
    const started = start('--help')
    let missing = 0 // the program can be started at any moment of a build
    while (started.child.exitCode === null) {
      if (!existsSync(join(dist(), 'main.js'))) missing++
      await pause(5)
    }
    const ended = await started.ended
    expect([ended.code, missing]).toEqual([0, 0])
    expect(['demo', '.gitmoor'].filter((path) => existsSync(join(root, path)))).toEqual([])
    expect(ended.stderr).toMatch(/^Building…\nBuilt in \d+\.\d s\.\nedited\n$/)
    expect(ended.stdout).toMatch(usage)
    expect(existsSync(join(dist(), 'earlier.js'))).toBe(false)
    expect(readdirSync(root).filter((name) => name.startsWith('.dist-'))).toEqual([])
  })
})
