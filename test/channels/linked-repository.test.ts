import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StackSpec } from '../../src/model/stacks/stack.js'
import { label, yaml } from '../e2e/packages.js'
import { until } from '../e2e/until.js'
import { useServedWorld } from '../e2e/world.js'
import { makeRepository } from '../git-server.js'

const world = useServedWorld()
const red = yaml(label('l1', { color: '#ff0000' }))
const blue = yaml(label('l1', { color: '#0000ff' }))

function following(path: string): Pick<StackSpec, 'sources'> {
  return { sources: [{ kind: 'git', url: `file://${path}`, ref: 'stable', path: '' }] }
}

async function applied(name: string): Promise<string | undefined> {
  return (await world().ask.getStack(name)).revision.applied?.slice(-40)
}

test('a veto for a local repository counts for a symbolic link to it, also after a restart', async () => {
  const root = join(world().root, 'work')
  mkdirSync(root, { recursive: true })
  const repository = await makeRepository(root)
  const real = join(root, repository.name)
  symlinkSync(real, join(root, 'link'))
  const first = await repository.commit({ files: { 'package.yml': red }, tags: ['stable'] })
  await world().create('boards', following(real))
  await repository.commit({ files: { 'package.yml': blue }, tags: ['stable'] })
  await world().sync('boards')
  const { items } = await world().ask.listChannels({})
  await world().ask.vetoMove(items[0]!.newest!.id, { why: 'the colour is wrong', by: 'ann' })
  await until('it is gone back', async () => (await applied('boards')) === first)
  await world().restart()
  await world().create('other', following(join(root, 'link')))
  expect(await applied('other')).toBe(first)
})
