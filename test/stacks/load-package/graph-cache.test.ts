// A package that did not change is read and built once.
import { expect, test, vi } from 'vitest'
import { noValues } from '../../../src/model/resources/document.js'
import { Secret } from '../../../src/model/json.js'
import { GraphCache, type BuiltGraph, type GraphSources } from '../../../src/stacks/load-package/graph-cache.js'
import type { TargetPlatform } from '../../../src/platform/platform.js'
import { file } from '../../graph/read-texts.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()
const platform = {} as TargetPlatform
const given = { values: noValues, secrets: new Map<string, Secret>(), allowEmpty: false }
const sources: GraphSources = {
  files: [file('a.yml', label('red'))],
  isPushed: false,
  pathOf: (path) => path,
  platform,
  given,
}
const graph = { value: { resources: [], byAddress: new Map() }, problems: [] }
const build = async (): Promise<BuiltGraph> => ({ documents: [], unread: [], graph })

test('the same package has the same graph', async () => {
  const graphs = new GraphCache(10_000)
  const first = await graphs.of(sources, build)
  expect(await graphs.of({ ...sources, files: [file('a.yml', label('red'))] }, build)).toBe(first)
})

test('all that decides a graph builds another one', async () => {
  const others: Readonly<Record<string, Partial<GraphSources>>> = {
    'other contents': { files: [file('a.yml', label('blue'))] },
    'another file': { files: [file('b.yml', label('red'))] },
    'one file more': { files: [...sources.files, file('b.yml', label('blue'))] },
    'another place in the repository': { pathOf: (path) => `folder/${path}` },
    'a pushed package': { isPushed: true },
    'another platform, or one with new kinds': { platform: {} as TargetPlatform },
    'other values': { given: { ...given, values: new Map([['a', 'b']]) } },
    'a package that may be empty': { given: { ...given, allowEmpty: true } },
  }
  for (const [what, other] of Object.entries(others)) {
    const graphs = new GraphCache(10_000)
    const first = await graphs.of(sources, build)
    expect(await graphs.of({ ...sources, ...other }, build), what).not.toBe(first)
  }
})

test('a graph with given secrets is not kept', async () => {
  const graphs = new GraphCache(10_000)
  const secret = { ...sources, given: { ...given, secrets: new Map([['token', {} as Secret]]) } }
  expect(await graphs.of(secret, build)).not.toBe(await graphs.of(secret, build))
})

test('the newest graphs are kept, as many as fit', async () => {
  const graphs = new GraphCache(10_000)
  const large = { ...sources, files: [file('b.yml', '#'.repeat(950))] }
  const first = await graphs.of(sources, build)
  await graphs.of(large, build)
  expect(await graphs.of(sources, build)).not.toBe(first)
})

test('two plans of one commit build its graph once', async () => {
  await world().push(yaml(label('red'), bucket('raw')))
  const read = vi.spyOn(world().agent.sync.packages, 'read')
  await world().create('boards', {})
  expect((await world().ask.previewPlan('boards', {}, never)).changes).toEqual([])
  expect(read).toHaveBeenCalledOnce()
  await world().push(yaml(label('red', { color: '#ff0000' }), bucket('raw')))
  expect((await world().ask.previewPlan('boards', {}, never)).changes).toMatchObject([{ address: 'Label/red' }])
})
