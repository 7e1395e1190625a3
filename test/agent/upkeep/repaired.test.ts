// What an agent does after a start that repaired its database, and with stored files that are not as they were written.
import Database from 'better-sqlite3'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.js'
import { openDocuments } from '../../store/document-file.js'
import type { Documents } from '../../../src/platform/documents.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld, type World } from '../../e2e/world.js'
import { answering } from '../../memory-git.js'

const world = useWorld()
const boards = yaml(label('red'), bucket('raw'), bucket('hot', { description: 'as declared' }))

function databaseFile(): string {
  return join(world().root, 'gitmoor.db')
}

/** A target that keeps its resources elsewhere, so damage of the agent's database does not affect it. */
async function withTarget(work: (documents: Documents) => Promise<void>): Promise<void> {
  const file = join(world().root, 'target.db')
  new SqliteStore(file, world().clock)[Symbol.dispose]()
  const target = openDocuments(file, world().clock)
  try {
    await world().stop()
    await work(target.documents)
    await world().stop()
  } finally {
    target.close()
  }
}

/** Overwrites the page at which a table begins. */
function damageTable(table: string): void {
  const database = new Database(databaseFile())
  const page = database.prepare('select rootpage from sqlite_schema where name = ?').pluck().get(table) as number
  database.pragma('wal_checkpoint(truncate)')
  database.close()
  const bytes = readFileSync(databaseFile())
  for (let at = (page - 1) * 4096; at < page * 4096; at++) bytes[at] = (at * 31) & 0xff
  writeFileSync(databaseFile(), bytes)
}

function change(sql: string): void {
  const database = new Database(databaseFile())
  database.exec(sql)
  database.close()
}

async function synced(name: string): Promise<Awaited<ReturnType<World['ask']['getStack']>>> {
  return until(`${name} is synced`, async () => {
    const view = await world().ask.getStack(name)
    return view.sync === 'Synced' && view.health === 'Healthy' && view
  })
}

describe('after a repair without a copy', () => {
  test('a stack that lost its ownership is Unknown until a run has read the target, and then owns everything again', async () => {
    await withTarget(async (documents) => {
      await world().start({ documents })
      await world().push(boards)
      await world().create('boards')
      const before = await world().ids('boards')
      await world().stop()
      damageTable('owned')
      world().server.intercept(answering(503))
      await world().start({ documents })
      expect(world().store.startEvents.map(({ code }) => code)).toEqual(['store/repaired'])
      expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Unknown', resources: [] })
      await until('the poll failed and the next one is planned', async () => {
        const { health, nextPollAt } = await world().ask.getStack('boards')
        return health === 'Degraded' && nextPollAt !== null
      })
      world().server.intercept(undefined)
      world().clock.advance(120_000)
      await synced('boards')
      expect(await world().ids('boards')).toEqual(before)
    })
  })

  test('a revision from an older copy is not written while the source is unreachable', async () => {
    await withTarget(async (documents) => {
      await world().start({ documents })
      await world().push(boards)
      await world().create('boards')
      await world().store.copies.make({ kept: 3, everyMs: 0 }, never)
      await world().push(boards.replace('as declared', 'newer'))
      await world().sync('boards')
      await world().stop()
      writeFileSync(databaseFile(), 'not a database')
      world().server.intercept(answering(503))
      await world().start({ documents })
      for (let n = 0; n < 3; n++) {
        world().clock.advance(400_000)
        await until('the poll failed', async () => (await world().ask.getStack('boards')).health === 'Degraded')
      }
      expect((await world().ask.getStack('boards')).sync).toBe('Unknown')
      expect((await world().live())['Bucket/hot']?.live['description']).toBe('newer')
      world().server.intercept(undefined)
      await until('the source is polled again', async () => {
        world().clock.advance(60_000)
        return (await world().ask.getStack('boards')).revision.observed !== null
      })
      await synced('boards')
      expect((await world().live())['Bucket/hot']?.live['description']).toBe('newer')
    })
  })

  test('a suspended stack is Unknown, in the list too', async () => {
    await withTarget(async (documents) => {
      await world().start({ documents })
      await world().push(boards)
      await world().create('boards')
      await world().ask.suspendStack('boards', 'freeze', undefined, 'ann')
      await world().stop()
      damageTable('owned')
      await world().start({ documents })
      const listed = (await world().ask.listStacks({})).items[0]
      expect(listed).toMatchObject({ sync: 'Unknown', health: 'Unknown' })
      expect(await world().ask.getStack('boards')).toMatchObject({ sync: 'Unknown', health: 'Unknown' })
    })
  })
})

describe('a stored file that was changed', () => {
  test.each([
    [
      'a changed byte in a file',
      `update blobs set bytes = cast(replace(cast(bytes as text), 'as declared', 'bs declared') as blob)`,
    ],
    ['a changed listing of a package', `update packages set files = replace(files, 'package.yml', 'qackage.yml')`],
    ['a missing file', 'delete from blobs'],
    ['a missing package', 'delete from packages'],
  ])('%s is fetched again and never written to the target', async (_, harm) => {
    await world().push(boards)
    await world().create('boards')
    await world().stop()
    change(harm)
    await world().start()
    await world().ask.editResource('Bucket/hot', { description: 'by hand' }, { stack: 'boards' }, never)
    world().clock.advance(400_000)
    await until(
      'the drift is corrected',
      async () => (await world().live())['Bucket/hot']?.live['description'] !== 'by hand',
    )
    expect((await world().live())['Bucket/hot']?.live['description']).toBe('as declared')
    await synced('boards')
    const { files } = (await world().store.stacks.get('boards'))!.applied!
    expect((await world().store.files.get(files))?.map(({ path }) => path)).toEqual(['package.yml'])
  })
})

test('a pushed package whose files were lost says so, and the same push again repairs it', async () => {
  const files = [{ path: 'package.yml', text: boards }]
  await world().ask.createStack(world().spec('boards', { sources: [{ kind: 'inline' }] }), 'ann')
  const { id } = await world().ask.pushPackage('boards', { files }, 'ann', never)
  await world().ended('boards', id)
  await world().stop()
  change('delete from packages; delete from blobs')
  await world().start()
  expect((await world().sync('boards')).problems).toMatchObject([
    {
      code: 'source/package-lost',
      message: 'The database no longer has the files of the package that was pushed to boards.',
      hint: 'Push the package again: gitmoor stack push boards -f FILE',
    },
  ])
  const { id: again } = await world().ask.pushPackage('boards', { files }, 'ann', never)
  expect(await world().ended('boards', again)).toMatchObject({ outcome: 'unchanged' })
  await synced('boards')
})
