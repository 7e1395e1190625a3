// A restore beside a target that went on: the state is older than what is there.
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { restoreBackup } from '../../src/store/sqlite/backup/restore-backup.js'
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.js'
import { bucket, dashboard, label, yaml } from '../influxdb/packages.js'
import { never, useWorld, type World } from '../influxdb/world.js'
import { until } from './until.js'

const world = useWorld()

/** A store in its own directory: it has the resources of the target. */
function openTarget(at: World): SqliteStore {
  const directory = join(at.root, 'target')
  mkdirSync(directory)
  return new SqliteStore(join(directory, 'target.db'), at.clock)
}

/** Takes a backup now; gives what puts the world back to it. */
async function backup(at: World): Promise<() => void> {
  const taken = join(at.root, 'taken.db')
  {
    await using made = await at.store.copies.backup({ version: '0' }, never)
    copyFileSync(made.path, taken)
  }
  return () => {
    const directory = join(at.root, 'restored')
    mkdirSync(directory)
    restoreBackup({ file: taken, directory }, at.clock.now())
    for (const name of readdirSync(at.root).filter((one) => one.startsWith('gitmoor.db'))) rmSync(join(at.root, name))
    copyFileSync(join(directory, 'gitmoor.db'), join(at.root, 'gitmoor.db'))
  }
}

test('resources applied after the backup are found on the target and owned again: nothing is written, duplicated or orphaned', async () => {
  const at = world()
  using target = openTarget(at)
  await at.restart({ documents: target.documents })
  await at.push(yaml(label('red'), bucket('raw', { labels: ['red'] }), dashboard('ops')))
  await at.create('boards')
  const restore = await backup(at)
  await at.push(
    yaml(label('red'), bucket('raw', { labels: ['red'], description: 'new' }), bucket('more', { labels: ['red'] })),
  )
  await at.sync('boards')
  const [live, owned] = [await at.live(), await at.ids('boards')]

  await at.stop()
  restore()
  await at.start({ documents: target.documents })
  const run = await at.lastRun('boards')
  expect([run.cause.kind, run.outcome]).toEqual(['recovery', 'applied'])
  expect(at.platform.writes).toEqual([])
  expect(await at.live()).toEqual(live)
  expect(await at.ids('boards')).toEqual(owned)
  expect((await at.ask.getStack('boards')).sync).toBe('Synced')
})

test('drift is not corrected to what was applied before, however long the source is away', async () => {
  const at = world()
  using target = openTarget(at)
  await at.restart({ documents: target.documents })
  await at.push(yaml(bucket('raw')))
  await at.create('boards')
  const restore = await backup(at)
  await at.push(yaml(bucket('raw', { description: 'new' })))
  await at.sync('boards')

  await at.stop()
  restore()
  await at.server.close()
  await at.start({ documents: target.documents })
  for (let n = 0; n < 3; n++) {
    at.clock.advance(600_000)
    await at.agent.runs.exclusively((await at.ask.getStack('boards')).id, never, async () => {})
  }
  expect(at.platform.writes).toEqual([])
  expect((await at.live())['Bucket/raw']?.live).toMatchObject({ description: 'new' })
})

test('a rollback stays if its repository went on before the restore, and the next change of the package ends it', async () => {
  const at = world()
  using target = openTarget(at)
  await at.restart({ documents: target.documents })
  await at.push(yaml(bucket('raw')))
  const { id } = await at.create('boards')
  await at.push(yaml(bucket('raw', { description: 'bad' })))
  await at.sync('boards')
  await at.ended('boards', (await at.ask.rollBack('boards', id, 'test', 'ann')).id)
  const restore = await backup(at)
  const commit = await at.repository.commit({ files: { 'other/README.md': 'text' } })

  await at.stop()
  restore()
  await at.start({ documents: target.documents })
  await until('the commit is observed', async () =>
    (await at.store.stacks.get('boards'))?.observed?.revision.includes(commit),
  )
  const recovery = await at.lastRun('boards')
  expect(recovery.cause.kind).toBe('recovery')
  expect(await at.ask.getStack('boards')).toMatchObject({ status: { state: 'Pinned' }, pinned: { run: id } })

  await at.push(yaml(bucket('raw', { description: 'fixed' })))
  at.clock.advance(3_600_000)
  expect((await at.runAfter('boards', recovery.id)).outcome).toBe('applied')
  expect((await at.ask.getStack('boards')).pinned).toBeNull()
})
