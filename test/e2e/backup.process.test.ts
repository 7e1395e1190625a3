// Backup, restore and damage with the shipped program and a database that somebody harms.
import Database from 'better-sqlite3'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Check } from '../../src/model/agent/check.js'
import type { StackView } from '../../src/views/stack.js'
import { openKeyring } from '../../src/secrets/keyring.js'
import { program as main } from './built.js'
import { bucket, label, yaml } from '../influxdb/packages.js'
import type { Ended, Started } from './processes.js'
import { useProgram } from './program.js'
import { typeHere } from './type-here.js'
import { until } from './until.js'
import { never, useWorld } from '../influxdb/world.js'

const program = useProgram({ once: true })
const at = (name: string): string => join(program.root, name)
const agent = (data: string): Promise<Started> => program.processes.agent([], { cwd: program.root, data: at(data) })
const type = (data: string, ...args: readonly string[]): Promise<Ended> =>
  typeHere([...args, '--data', at(data)], { cwd: program.root })
const run = (data: string, ...args: readonly string[]): Promise<Ended> =>
  program.processes.run([...args, '--data', at(data)], { cwd: program.root })
const push = (text: string): Promise<string> => program.push(text, 'stable')

async function end({ child, ended }: Started, signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
  child.kill(signal)
  return ended
}

async function names(data: string): Promise<readonly string[]> {
  const { stdout } = await type(data, 'resource', 'list', '--json')
  const { items } = JSON.parse(stdout) as {
    readonly items: readonly { readonly family: string; readonly displayName: string; readonly stack: string | null }[]
  }
  return items
    .filter(({ displayName }) => !displayName.startsWith('_'))
    .map((one) => `${one.stack} ${one.family}/${one.displayName}`)
    .sort()
}

async function synced(data: string): Promise<StackView> {
  await type(data, 'wait', 'boards')
  return JSON.parse((await type(data, 'stack', 'get', 'boards', '--json')).stdout) as StackView
}

let applied: string
beforeAll(async () => {
  applied = await push(yaml(label('red'), bucket('raw')))
  const started = await agent('applied')
  expect((await type('applied', 'stack', 'create', 'boards', '--repo', program.url, '--ref', 'stable')).code).toBe(0)
  await end(started)
})
/** `data`: of an agent that ended, with a stack that applied a label and a bucket. */
beforeEach(async () => {
  await program.repository.tag('stable', applied)
  cpSync(at('applied'), at('data'), { recursive: true })
})
afterEach(async () => {
  await program.processes.end()
  for (const name of readdirSync(program.root).filter((name) => !['served', 'applied'].includes(name)))
    rmSync(at(name), { recursive: true, force: true })
})

/** An agent that is killed while a backup is taken leaves nothing that a start does not remove. */
async function killInBackup(first: Started): Promise<void> {
  const { child, ended: taking } = program.processes.start(['backup', at('cut.db'), '--data', at('data')], {
    cwd: program.root,
  })
  const isBegun = (): boolean => existsSync(at('data/copies')) && readdirSync(at('data/copies')).length > 0
  await until('the backup is begun, or over', () => isBegun() || child.exitCode !== null)
  await end(first, 'SIGKILL')
  const { code } = await taking
  expect(existsSync(at('cut.db'))).toBe(code === 0)
  expect(readdirSync(program.root).filter((name) => name.endsWith('.part'))).toEqual([])
  await agent('data')
  expect(readdirSync(at('data/copies'))).toEqual([])
  expect((await synced('data')).sync).toBe('Synced')
}

test('another agent continues from a backup of a running agent: later commits are applied again, nothing twice', async () => {
  const first = await agent('data')
  const taken = await type('data', 'backup', at('taken.db'), '--json')
  expect([taken.code, statSync(at('taken.db')).mode & 0o777]).toEqual([0, 0o600])
  expect(JSON.parse(taken.stdout)).toMatchObject({
    file: at('taken.db'),
    bytes: statSync(at('taken.db')).size,
    withKey: false,
  })
  expect(await type('data', 'backup', at('taken.db'))).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('--force') as string,
  })
  await push(yaml(label('blue'), bucket('raw'), bucket('more')))
  await synced('data')
  await killInBackup(first)

  const restored = await run('again', 'restore', at('taken.db'))
  expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('Restored 1 stack')])
  await agent('again')
  expect(await synced('again')).toMatchObject({
    sync: 'Synced',
    health: 'Healthy',
    lastRun: { cause: { kind: 'recovery' } },
  })
  expect(await names('again')).toEqual(['boards Bucket/more', 'boards Bucket/raw', 'boards Label/blue'])
  expect((await run('again', 'restore', at('taken.db'))).code).not.toBe(0)
})

test('a database that another program harms while the agent runs ends it with a code, and the next start reads what is left', async () => {
  const first = await agent('data')
  await type('data', 'wait', 'boards')
  const database = new Database(at('data/gitmoor.db'))
  database.unsafeMode(true)
  database.pragma('writable_schema = ON')
  database.exec("update sqlite_schema set sql = 'nonsense' where name = 'channels'")
  database.pragma(`schema_version = ${(database.pragma('schema_version', { simple: true }) as number) + 1}`)
  database.close()
  await type('data', 'stack', 'list', '--json')
  const ended = await first.ended
  expect(ended.code).toBe(1)
  expect(ended.stderr).toContain('database lost')
  const second = await agent('data')
  expect(second.stderr()).toMatch(/The database was damaged .* parts of|The database was damaged .* all of/)
  expect((await synced('data')).sync).toBe('Synced')
  expect(await names('data')).toEqual(['boards Bucket/raw', 'boards Label/red'])
})

describe('files that are harmed while no agent runs', () => {
  const world = useWorld()
  const inRoot = (name: string): string => join(world().root, name)

  beforeEach(async () => {
    await world().push(yaml(label('red'), bucket('raw')))
    await world().create('boards')
    await world().stop()
    world().log.splice(0)
  })

  /** Starts an agent, which syncs the stack. Gives the lines of its log. */
  async function startAgain(): Promise<readonly string[]> {
    await world().start()
    await until('it is synced', async () => (await world().ask.getStack('boards')).sync === 'Synced')
    return world().log.map(({ message, facts }) => `${message} ${JSON.stringify(facts)}`)
  }

  test('a corrupt database is repaired at the start, the log and the stack say so, and the agent continues', async () => {
    const bytes = readFileSync(inRoot('gitmoor.db'))
    bytes.fill(0x5a, 0, 100)
    writeFileSync(inRoot('gitmoor.db'), bytes)
    expect(await startAgain()).toContainEqual(expect.stringMatching(/damaged .*nothing is lost/))
    const live = Object.entries(await world().live()).map(([name, { stack }]) => `${stack} ${name}`)
    expect(live.sort()).toEqual(['boards Bucket/raw', 'boards Label/red'])
  })

  test('a key that is missing after an interrupted apply is replaced, and the log and the doctor say what is lost', async () => {
    const sealed = openKeyring(world().root).seal('{}')
    rmSync(inRoot('key'))
    const database = new Database(inRoot('gitmoor.db'))
    const change = JSON.stringify({
      address: 'Bucket/raw',
      kind: 'Bucket',
      action: 'update',
      fields: [],
      reason: 'edited',
      needs: [],
      after: [],
    })
    database
      .prepare(
        `insert into journal (stack, run, change, state, before, identity, owned_before)
         select stack, 1, ?, 'doing', ?, identity, '[]' from owned where address = 'Bucket/raw'`,
      )
      .run(change, sealed)
    database.close()
    const lost =
      /applies of boards cannot be undone.*store\/lost-key|store\/lost-key.*applies of boards cannot be undone/
    expect(await startAgain()).toContainEqual(expect.stringMatching(lost))
    const { checks } = await world().ask.diagnose(never)
    expect(checks).toContainEqual(
      expect.objectContaining({
        message: expect.stringMatching(/applies of boards cannot be undone.*\(store\/lost-key\)/) as string,
      }),
    )
  })
})

test('a restore of what is not there says so, and leaves no folder behind', async () => {
  const { code, stderr } = await run('made/r3', 'restore', at('nosuch'))
  expect(code).toBe(3)
  expect(stderr).toBe(
    `error: Cannot read the backup ${at('nosuch')}: no such file or directory.\n  next: Choose a file that \`gitmoor backup FILE\` wrote.\n`,
  )
  expect(existsSync(at('made'))).toBe(false)
})

test('a data directory that cannot be written is a problem for the doctor, with what to do', () => {
  const data = mkdtempSync(join(tmpdir(), 'gitmoor-read-only-'))
  writeFileSync(join(data, 'gitmoor.db'), '', { mode: 0o400 })
  const nobody = 65_534
  const asRoot = process.getuid?.() === 0
  if (asRoot) for (const path of [data, join(data, 'gitmoor.db')]) chownSync(path, nobody, nobody)
  chmodSync(data, 0o500)
  const script = `
    const { machineChecks } = await import(${JSON.stringify(pathToFileURL(join(dirname(main), 'machine-checks.js')))})
    if (${asRoot}) process.setuid(${nobody})
    console.log(JSON.stringify(await machineChecks({ data: ${JSON.stringify(data)}, integrity: async () => [], searchPath: '' })))`
  try {
    const checks = JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }),
    ) as readonly Check[]
    const next = 'Make the user of the agent its owner (chown), or mount the file system writable.'
    expect(checks).toContainEqual({ name: 'data', state: 'problem', message: `This user cannot write ${data}.`, next })
    expect(checks.find(({ name }) => name === 'gitmoor.db')).toMatchObject({ state: 'problem', next })
    expect(checks.find(({ name }) => name === 'database')).toMatchObject({ state: 'skipped' })
  } finally {
    chmodSync(data, 0o700)
    rmSync(data, { recursive: true })
  }
})
