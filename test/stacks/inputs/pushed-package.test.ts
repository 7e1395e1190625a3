// What goes with a pushed package beside its files.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PushedPackage } from '../../../src/stacks/inputs/pushed-package.js'
import type { RunView } from '../../../src/views/run.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { never, useWorld } from '../../e2e/world.js'
import { startFileServer } from '../../file-server.js'

const world = useWorld()

const named = `apiVersion: plain/v1
kind: Label
metadata:
  name: red
spec:
  name: {envRef: {key: label-name, default: red}}
`

async function create(): Promise<void> {
  await world().ask.createStack(world().spec('boards', { sources: [{ kind: 'inline' }] }), 'ann')
}

async function push(pushed: Omit<PushedPackage, 'files'>, text = named): Promise<RunView> {
  const { id } = await world().ask.pushPackage(
    'boards',
    { files: [{ path: 'package.yml', text }], ...pushed },
    'ann',
    never,
  )
  return world().ended('boards', id)
}

test('values replace env references of the package, also those that other resources copy', async () => {
  await create()
  expect(await push({ values: { 'label-name': 'crimson' } })).toMatchObject({ outcome: 'applied' })
  expect(await world().names()).toEqual(['Label/crimson'])
  expect(await push({ values: { 'label-name': 77 } })).toMatchObject({ outcome: 'applied', changes: { update: 1 } })
  expect(await world().names()).toEqual(['Label/77'])
})

test('a pushed file that declares nothing is an error', async () => {
  await create()
  await expect(push({}, `${named}---\nservices: {}\n`)).rejects.toMatchObject({
    problems: [{ code: 'package/no-kind' }],
  })
  await expect(push({}, 'services: {}\n')).rejects.toMatchObject({
    problems: [{ code: 'package/no-kind', field: 'root[0].kind' }],
  })
})

test('values are part of the revision: other values are another one, the same values the same one', async () => {
  await create()
  const { revision } = await push({ values: { 'label-name': 'crimson' } })
  expect((await push({ values: { 'label-name': 'purple' } })).revision).not.toBe(revision)
  expect((await push({})).revision).not.toBe(revision)
  expect((await push({ values: { 'label-name': 'crimson' } })).revision).toBe(revision)
})

test('drift is corrected with the values that were pushed, also after a restart', async () => {
  await create()
  const { id } = await push({ values: { 'label-name': 'crimson' } })
  await world().restart()
  await world().ask.deleteResource('Label/red', { stack: 'boards' }, never)
  world().clock.advance(400_000)
  expect(await world().runAfter('boards', id)).toMatchObject({ cause: { kind: 'drift' }, outcome: 'applied' })
  expect(await world().names()).toEqual(['Label/crimson'])
})

test('a roll back goes back to the values of that time', async () => {
  await create()
  const { id } = await push({ values: { 'label-name': 'crimson' } })
  await push({ values: { 'label-name': 'purple' } })
  const back = await world().ask.rollBack('boards', id, 'purple is ugly', 'ann')
  expect(await world().ended('boards', back.id)).toMatchObject({ outcome: 'applied' })
  expect(await world().names()).toEqual(['Label/crimson'])
})

test('the file with the values is sealed', async () => {
  await create()
  await push({ values: { 'label-name': 'very-secret-name' } }, yaml(named))
  const [pushed] = await world()
    .store.files.get((await world().store.stacks.get('boards'))!.applied!.files)
    .then((files) => files!)
  expect(pushed!.path).toBe('.gitmoorsupplied')
  expect(Buffer.from(pushed!.bytes).includes('very-secret-name')).toBe(false)
  expect(pushed!.id).not.toContain('very-secret-name')
  const database = Buffer.concat(['gitmoor.db', 'gitmoor.db-wal'].map((name) => readFileSync(join(world().root, name))))
  expect(database.includes('.gitmoorsupplied')).toBe(true)
})

test('what is skipped stays as it is, its record included', async () => {
  await create()
  await push({}, yaml(label('red'), bucket('raw')))
  const run = await push(
    { skips: [{ family: 'Bucket' }, { family: 'Label', metaName: 'red' }] },
    yaml(label('red', { name: 'other' })),
  )
  expect(run).toMatchObject({ outcome: 'unchanged' })
  expect(await world().names()).toEqual(['Bucket/raw', 'Label/red'])
  expect(await world().ids('boards')).toHaveProperty('Bucket/raw')
})

test('a kind that is not known cannot be skipped', async () => {
  await create()
  await expect(push({ skips: [{ family: 'Bukket' }] })).rejects.toMatchObject({ code: 'stacks/skip-unknown' })
})

test('an empty package removes everything only where that is said, and approved', async () => {
  await create()
  await push({}, label('red'))
  await expect(world().ask.pushPackage('boards', { files: [] }, 'ann', never)).rejects.toMatchObject({
    code: 'package/invalid',
  })
  const { id } = await world().ask.pushPackage('boards', { files: [], allowEmpty: true }, 'ann', never)
  const { outcome, plan } = await world().ended('boards', id)
  expect([outcome, plan?.needsApproval]).toMatchObject([
    'needs-approval',
    [{ rule: 'deletions', message: 'The last resource that this stack owns would be removed.' }],
  ])
  expect(await world().names()).toEqual(['Label/red'])
  expect(await world().ask.approvePlan('boards', plan!.digest, 'ann', never)).toMatchObject({
    outcome: 'applied',
    changes: { remove: 1 },
  })
  expect(await world().names()).toEqual([])
})

test('what is behind an address is fetched once, and part of what was pushed', async () => {
  await using server = await startFileServer()
  server.serve('/boards.yml', bucket('raw'))
  await create()
  expect(await push({ urls: [`${server.url}/boards.yml`] }, label('red'))).toMatchObject({ outcome: 'applied' })
  expect(await world().names()).toEqual(['Bucket/raw', 'Label/red'])
  const requests = server.seen.length
  await world().sync('boards')
  expect(server.seen).toHaveLength(requests)
})

test('an address that cannot be fetched changes nothing', async () => {
  await using server = await startFileServer()
  await create()
  await push({}, label('red'))
  await expect(push({ urls: [`${server.url}/nowhere.yml`] }, label('blue'))).rejects.toThrow('404')
  expect(await world().names()).toEqual(['Label/red'])
})

test('a push continues an uninstalled stack, unless a person suspends it while the package is pushed', async () => {
  const uninstall = async (): Promise<void> => {
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await world().ask.uninstallStack('boards', { digest, by: 'ann' }, never)
  }
  await create()
  await push({}, label('red'))
  await uninstall()
  expect(await push({}, label('blue'))).toMatchObject({ outcome: 'applied' })
  expect(await world().ask.getStack('boards')).toMatchObject({ suspended: null, sync: 'Synced' })
  await uninstall()
  const { pushes } = world().store
  const put = pushes.put.bind(pushes)
  pushes.put = async (...given) => {
    pushes.put = put
    await world().ask.suspendStack('boards', 'freeze', undefined, 'ben')
    return put(...given)
  }
  await expect(push({}, label('red'))).rejects.toMatchObject({ code: 'stacks/suspended' })
  expect((await world().ask.getStack('boards')).suspended).toMatchObject({ by: 'ben', why: 'freeze' })
  expect(await world().names()).toEqual([])
})
