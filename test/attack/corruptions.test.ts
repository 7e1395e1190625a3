// Random corruptions of the database, with and without its write-ahead log, its copies and its decision log. After the
// start either everything is managed again, or the stack says what it does not know; and nothing is written to the
// target that the package does not declare. Seeded: GITMOOR_ATTACK_SEED.
import Database from 'better-sqlite3'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { SqliteDocuments } from '../../src/store/sqlite/sqlite-documents.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { bucket, label, yaml } from '../e2e/packages.js'
import { until } from '../e2e/until.js'
import { never, useWorld } from '../e2e/world.js'
import { answering } from '../memory-git.js'
import { Dice } from '../random/dice.js'
import { openDocuments } from '../store/document-file.js'
import { attackSeed, attackShare } from './scale.js'

const cases = attackShare(100)
const caseMs = 20_000
const pageBytes = 4096
const stackNames = ['a', 'b', 'c', 'd'] as const
const bucketsEach = 12
const long = 'x'.repeat(1_500)

const world = useWorld()

function packageOf(name: string, version: string): string {
  const buckets = Array.from({ length: bucketsEach }, (_, n) =>
    bucket(`${name}${n}`, { description: `${version} ${n} ${long}` }),
  )
  return yaml(label(`${name}-label`), ...buckets)
}

function filesOf(version: string): Readonly<Record<string, string>> {
  return Object.fromEntries(stackNames.map((name) => [`${name}/package.yml`, packageOf(name, version)]))
}

const dataFile = (name = ''): string => join(world().root, `gitmoor.db${name}`)
const targetFile = (): string => join(world().root, 'target.db')
const kept = (): string => join(world().root, 'kept')
const parts = ['gitmoor.db', 'gitmoor.db-wal', 'decisions.jsonl', 'copies', 'target.db']

/** Runs the agent against a target in a database of its own. */
async function withAgent(work: (documents: SqliteDocuments) => Promise<void>): Promise<void> {
  const { documents, close } = openDocuments(targetFile(), world().clock)
  try {
    await world().start({ documents })
    await work(documents)
  } finally {
    await world().stop()
    close()
  }
}

/**
 * Four stacks that applied two revisions, a copy between these, one stack suspended after it; all files as they are
 * while the agent runs, its log among them.
 */
async function prepare(): Promise<Readonly<Record<string, unknown>>> {
  await world().stop()
  new SqliteStore(targetFile(), world().clock)[Symbol.dispose]()
  rmSync(dataFile())
  let held: Readonly<Record<string, unknown>> = {}
  await withAgent(async (documents) => {
    await world().repository.commit({ files: filesOf('first') })
    for (const name of stackNames) await world().create(name, { path: name })
    await world().store.copies.make({ kept: 3, everyMs: 0 }, never)
    await world().repository.commit({ files: filesOf('second') })
    for (const name of stackNames) await world().sync(name)
    await world().ask.suspendStack('d', 'freeze', undefined, 'ann')
    held = await heldOn(documents)
    mkdirSync(kept())
    for (const name of parts.slice(0, 4)) cpSync(join(world().root, name), join(kept(), name), { recursive: true })
  })
  cpSync(targetFile(), join(kept(), 'target.db'))
  return held
}

async function heldOn(documents: SqliteDocuments): Promise<Readonly<Record<string, unknown>>> {
  const rows = await documents.list('main', { limit: 500 })
  return Object.fromEntries(rows.map(({ family, id, state }) => [`${family}/${id}`, state]))
}

function putBack(): void {
  for (const name of [...parts, 'target.db-wal', 'target.db-shm', 'gitmoor.db-shm'])
    rmSync(join(world().root, name), { recursive: true, force: true })
  for (const name of readdirSync(world().root)) if (name.includes('damaged-')) rmSync(join(world().root, name))
  for (const name of parts) cpSync(join(kept(), name), join(world().root, name), { recursive: true })
}

type Harm = (bytes: Buffer, dice: Dice) => Buffer

const garbage = (bytes: Buffer, from: number, to: number, dice: Dice): Buffer => {
  for (let at = from; at < Math.min(to, bytes.length); at++) bytes[at] = dice.below(256)
  return bytes
}

const harms: Readonly<Record<string, Harm>> = {
  'a few pages of garbage': (bytes, dice) => {
    for (let n = 0; n <= dice.below(5); n++) {
      const page = dice.below(Math.max(1, Math.floor(bytes.length / pageBytes)))
      garbage(bytes, page * pageBytes, (page + 1) * pageBytes, dice)
    }
    return bytes
  },
  'flipped bits': (bytes, dice) => {
    for (let n = 0; n <= dice.below(20); n++) bytes[dice.below(bytes.length)]! ^= 1 << dice.below(8)
    return bytes
  },
  'a header of garbage': (bytes, dice) => garbage(bytes, dice.below(100), 100, dice),
  'a cut': (bytes, dice) => bytes.subarray(0, dice.below(bytes.length)),
  'a cut between pages': (bytes, dice) => bytes.subarray(0, dice.below(bytes.length / pageBytes) * pageBytes),
  'pages of zeros': (bytes, dice) => {
    const page = dice.below(bytes.length / pageBytes)
    return bytes.fill(0, page * pageBytes, (page + 1 + dice.below(4)) * pageBytes)
  },
  'two pages that changed places': (bytes, dice) => {
    const [one, other] = [0, 0].map(() => dice.below(bytes.length / pageBytes) * pageBytes) as [number, number]
    const first = Buffer.from(bytes.subarray(one, one + pageBytes))
    bytes.copy(bytes, one, other, other + pageBytes)
    first.copy(bytes, other)
    return bytes
  },
}

/** Gives what was done. */
function corrupt(dice: Dice): string {
  const withLog = dice.chance(50)
  if (!withLog) checkpoint()
  const [name, harm] = dice.pick(Object.entries(harms))
  const part = withLog && dice.chance(30) ? '-wal' : ''
  writeFileSync(dataFile(part), harm(readFileSync(dataFile(part)), dice))
  const withCopies = dice.chance(50)
  if (!withCopies) rmSync(join(world().root, 'copies'), { recursive: true })
  const decisions = dice.pick(['whole', 'whole', 'whole', 'damaged', 'gone'])
  const log = join(world().root, 'decisions.jsonl')
  if (decisions === 'damaged') writeFileSync(log, harms['flipped bits']!(readFileSync(log), dice))
  if (decisions === 'gone') rmSync(log)
  return `${name} in gitmoor.db${part}, log ${withLog ? 'beside it' : 'written back'}, ${withCopies ? 'a copy' : 'no copy'}, decisions ${decisions}`
}

function checkpoint(): void {
  const database = new Database(dataFile())
  database.pragma('wal_checkpoint(truncate)')
  database.close()
}

/** Stacks that say they are synced, and whether they are. */
async function check(
  documents: SqliteDocuments,
  held: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, string>>> {
  expect(await heldOn(documents)).toEqual(held)
  const { items } = await world().ask.listStacks({})
  for (const { name, sync } of items)
    if (sync === 'Synced') expect([name, Object.keys(await world().ids(name)).length]).toEqual([name, bucketsEach + 1])
  return Object.fromEntries(
    items.map(({ name, sync, health, suspended }) => [name, suspended ? 'Suspended' : `${sync} ${health}`]),
  )
}

test(
  `after each of ${cases} corruptions everything is managed again, or the stack says what it does not know`,
  async () => {
    const held = await prepare()
    const ends = new Map<string, number>()
    for (let n = 0; n < cases; n++) {
      const dice = new Dice(attackSeed() * 1_000 + n)
      putBack()
      const done = corrupt(dice)
      const away = dice.chance(30)
      try {
        if (away) world().server.intercept(answering(503))
        await withAgent(async (documents) => {
          world().platform.reset()
          await check(documents, held)
          world().clock.advance(400_000)
          await check(documents, held)
          world().server.intercept(undefined)
          const whole = await until('everything that goes on by itself is done', async () => {
            world().clock.advance(60_000)
            const seen = await check(documents, held)
            const open = Object.values(seen).filter((one) => one !== 'Synced Healthy' && one !== 'Suspended')
            return open.length === 0 && seen
          })
          expect(world().platform.writes).toEqual([])
          if ('d' in whole && !done.includes('decisions')) expect(whole['d']).toBe('Suspended')
          if (done.endsWith('decisions whole')) expect(Object.keys(whole)).toEqual([...stackNames])
          if (done.endsWith('decisions whole'))
            expect(whole).toEqual({ a: 'Synced Healthy', b: 'Synced Healthy', c: 'Synced Healthy', d: 'Suspended' })
          for (const end of Object.values(whole)) ends.set(end, (ends.get(end) ?? 0) + 1)
        })
      } catch (error) {
        throw new Error(`Case ${n} (${done}${away ? ', source away' : ''}): ${String(error)}`, { cause: error })
      }
      expect(existsSync(dataFile('.repairing'))).toBe(false)
    }
    expect(ends.get('Synced Healthy')).toBeGreaterThan(cases)
  },
  60_000 + cases * caseMs,
)
