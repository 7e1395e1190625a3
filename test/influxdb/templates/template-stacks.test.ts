// Template stacks and their events.
import { expect, test } from 'vitest'
import type { OwnershipEvent } from '../../../src/model/stacks/run.js'
import { bucket, label, yaml } from '../packages.js'
import { askTemplates } from '../ask.js'
import { never, useWorld } from '../world.js'

const world = useWorld()

async function events(): Promise<readonly OwnershipEvent[]> {
  const { id } = await world().ask.getStack('boards')
  return (await askTemplates(world().call).getTemplateStack(id)).events
}

async function types(): Promise<readonly string[]> {
  return (await events()).map(({ eventType }) => eventType)
}

test('an event lists all resources with their associations and their origins', async () => {
  await world().push(yaml(bucket('raw', { labels: ['red'] }), label('red')))
  await world().create('boards', { displayName: 'The boards' })
  const { 'Bucket/raw': raw, 'Label/red': red } = await world().ids('boards')
  expect((await events()).at(-1)).toEqual({
    eventType: 'update',
    run: (await world().lastRun('boards')).id,
    name: 'The boards',
    description: '',
    sources: [world().url],
    urls: [],
    updatedAt: world().clock.now(),
    resources: [
      {
        apiVersion: 'influxdata.com/v2alpha1',
        resourceID: raw,
        kind: 'Bucket',
        templateMetaName: 'raw',
        associations: [{ kind: 'Label', metaName: 'red' }],
      },
      {
        apiVersion: 'influxdata.com/v2alpha1',
        resourceID: red,
        kind: 'Label',
        templateMetaName: 'red',
        associations: [],
      },
    ],
  })
})

test('a correction of drift is an event, since it wrote', async () => {
  await world().push(bucket('raw'))
  await world().create('boards')
  await world().ask.editResource('Bucket/raw', { description: 'by hand' }, { stack: 'boards' }, never)
  await world().sync('boards')
  expect(await types()).toEqual(['create', 'update', 'update'])
})

test('a run that changes nothing, fails or needs approval is not an event', async () => {
  await world().push(yaml(label('l1'), label('l2'), label('l3')))
  await world().create('boards')
  await world().sync('boards')
  await world().push(label('l1'))
  expect((await world().sync('boards')).outcome).toBe('needs-approval')
  await world().push('kind: Label\n')
  expect((await world().sync('boards')).outcome).toBe('failed')
  expect(await types()).toEqual(['create', 'update'])
})

test('another source is one, though nothing is written', async () => {
  await world().repository.commit({ files: { 'one/a.yml': label('red'), 'two/a.yml': label('red') } })
  await world().create('boards', { path: 'one' })
  await world().ask.updateStack('boards', { source: { path: 'two' } }, 'ann')
  await world().lastRun('boards')
  expect((await events()).map(({ sources }) => sources)).toEqual([
    [`${world().url}//two`],
    [`${world().url}//one`],
    [`${world().url}//two`],
  ])
})

test('they do not make the stack larger for its readers', async () => {
  const bytes = async (): Promise<number> => JSON.stringify(await world().ask.getStack('boards')).length
  const change = async (description: string): Promise<void> => {
    await world().push(bucket('raw', { description }))
    await world().sync('boards')
  }
  await world().push(bucket('raw'))
  await world().create('boards')
  await change('first')
  const before = await bytes()
  for (const description of ['second', 'third', 'fourth', 'fifth']) await change(description)
  expect(await types()).toHaveLength(7)
  expect(Math.abs((await bytes()) - before)).toBeLessThan(100)
})
