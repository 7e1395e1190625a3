// A directory that is watched, with the whole program between the file system and the target.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RunRow } from '../../src/views/run.js'
import { label, yaml } from '../influxdb/packages.js'
import { useProgram } from './program.js'
import { until } from './until.js'

const program = useProgram()

test('a saved file is applied long before the next poll is due', async () => {
  const { root, agent, type, list } = program
  const boards = join(root, 'boards')
  mkdirSync(boards)
  writeFileSync(join(boards, 'a.yml'), yaml(label('red')))
  writeFileSync(join(root, 'gitmoor.yaml'), JSON.stringify({ allow: { directories: [boards] } }))
  await agent('--config', 'gitmoor.yaml')
  expect((await type('stack', 'create', 'boards', '--dir', boards, '--interval', '1d')).code).toBe(0)
  writeFileSync(join(boards, 'new'), yaml(label('red'), label('blue')))
  renameSync(join(boards, 'new'), join(boards, 'a.yml'))
  const isApplied = async (): Promise<boolean> =>
    (await list<RunRow>('history', 'boards')).some(
      ({ cause, outcome }) => cause.kind === 'directory-changed' && outcome === 'applied',
    )
  await until('the change is applied', isApplied)
})
