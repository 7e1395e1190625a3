// A directory that is watched, with the whole program between the file system and the target.
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RunRow } from '../../src/stacks/views.js'
import { build } from './built.js'
import { label, yaml } from './packages.js'
import { Processes, type Ended } from './processes.js'
import { until } from './until.js'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-watched-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('a file that is saved is applied long before the next look is due', async () => {
  using built = build()
  await using processes = new Processes(built.main)
  const [data, boards] = [join(root, 'data'), join(root, 'boards')]
  mkdirSync(boards)
  writeFileSync(join(boards, 'a.yml'), yaml(label('red')))
  writeFileSync(join(root, 'gitmoor.yaml'), JSON.stringify({ allow: { directories: [boards] } }))
  const type = (...args: readonly string[]): Promise<Ended> => processes.run([...args, '--data', data], { cwd: root })
  const runs = async (): Promise<readonly RunRow[]> =>
    (JSON.parse((await type('history', 'boards', '--json')).stdout) as { readonly items: readonly RunRow[] }).items

  await processes.agent(['--config', 'gitmoor.yaml'], { cwd: root, data })
  expect((await type('stack', 'create', 'boards', '--dir', boards, '--interval', '1d')).code).toBe(0)
  writeFileSync(join(boards, 'new'), yaml(label('red'), label('blue')))
  renameSync(join(boards, 'new'), join(boards, 'a.yml'))
  const isApplied = async (): Promise<boolean> =>
    (await runs()).some(({ cause, outcome }) => cause.kind === 'directory-changed' && outcome === 'applied')
  await until('the change is applied', isApplied, 25_000)
})
