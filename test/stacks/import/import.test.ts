// A new stack that takes over existing resources: nothing is written before a person saw the plan.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Address, Identity } from '../../../src/model/address.js'
import { compareText } from '../../../src/lib/text/compare-text.js'
import type { StackSpec } from '../../../src/model/stacks/stack.js'
import { printYamlPackage } from '../../../src/package/print-package.js'
import type { ForeignStack } from '../../../src/platform/platform.js'
import type { ImportView } from '../../../src/views/packages/import.js'
import { bucket, dashboard, label, task, yaml } from '../../e2e/packages.js'
import { refusal } from '../../e2e/refusal.js'
import { never, useWorld } from '../../e2e/world.js'
import { keepingStacks } from './keeping-stacks.js'

const foreign: ForeignStack[] = []
beforeEach(() => void foreign.splice(0))
const world = useWorld({}, keepingStacks(foreign))

const warning = {
  code: 'plain/stack-remains',
  message: 'The old stack still removes its resources.',
  hint: 'Rename it.',
}
const text = yaml(label('red'), bucket('raw', { labels: ['red'] }), dashboard('ops'), task('rollup'))

/** What another tool applied and lists: a stack of gitmoor applies it, and is deleted. */
async function applied(content: string, more: Partial<ForeignStack> = {}): Promise<void> {
  await world().push(content)
  await world().create('maker')
  const owned = [...(await world().store.ownership.of((await world().ask.getStack('maker')).id)).values()]
  await world().ask.deleteStack('maker', { by: 'ann' }, never)
  const resources = owned.map(({ address, identity, needs, partOf }) => ({
    address,
    identity,
    needs,
    ...(partOf === undefined ? {} : { partOf }),
  }))
  foreign.push({ id: 'f00d', name: 'Old Boards', description: 'by hand', resources, warnings: [warning], ...more })
}

function take(changed: Partial<StackSpec> = {}, stackID: string | undefined = 'f00d'): Promise<ImportView> {
  const spec = { ...world().spec('boards'), ...changed }
  return world().ask.importStack({ ...(stackID === undefined ? {} : { stackID }), spec }, 'ann', never)
}

const matching = (changed: Partial<StackSpec> = {}): Promise<ImportView> => {
  const spec = { ...world().spec('boards'), ...changed }
  return world().ask.importStack({ spec }, 'ann', never)
}

/** Calls that wrote to the target since the last time. */
function writes(): readonly string[] {
  const { platform } = world()
  const made = platform.writes.map(({ verb, family }) => `${verb} ${family}`)
  platform.reset()
  return made
}

async function ids(): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries(Object.entries(await world().live()).map(([name, { id }]) => [name, id]))
}

describe('a stack that the target keeps', () => {
  test('is taken over with its ids: the first plan is empty, and nothing is written', async () => {
    await applied(text)
    const before = await ids()
    writes()
    const imported = await take()
    expect(imported).toMatchObject({
      name: 'boards',
      target: 'local',
      from: { id: 'f00d', name: 'Old Boards', description: 'by hand' },
      leftOut: [],
      held: false,
      warnings: [warning],
      plan: { changes: [], counts: { create: 0, update: 0, remove: 0, unchanged: 4 } },
    })
    expect(imported.taken.map(({ kind, name, id }) => [`${kind}/${name}`, id])).toEqual(
      ['Bucket/raw', 'Dashboard/ops', 'Label/red', 'Task/rollup'].map((name) => [name, before[name]]),
    )
    expect((await world().ended('boards', imported.run!)).outcome).toBe('unchanged')
    expect(writes()).toEqual([])
    expect(await ids()).toEqual(before)
    expect((await world().live())['Dashboard/ops']!.stack).toBe('boards')
  })

  test('gives its labels to the resources, too: an uninstall leaves nothing', async () => {
    await applied(text)
    const { run } = await take()
    await world().ended('boards', run!)
    const { digest } = await world().ask.previewPlan('boards', { uninstall: true }, never)
    await world().ask.uninstallStack('boards', { digest, by: 'ann' }, never)
    expect(await world().live()).toEqual({})
  })

  test('gives the name, and what people see of the stack', async () => {
    await applied(text)
    const { name: _, displayName: _d, ...spec } = world().spec('boards')
    const { stack } = await world().ask.importStack({ stackID: 'f00d', spec }, 'ann', never)
    expect(stack).toMatchObject({ name: 'old-boards', displayName: 'Old Boards', spec: { description: 'by hand' } })
  })

  test('without a name gives one with its id', async () => {
    await applied(text, { name: '' })
    const { name: _, ...spec } = world().spec('boards')
    expect(await world().ask.previewImport({ stackID: 'f00d', spec }, never)).toMatchObject({ name: 'imported-f00d' })
  })

  test('may list what is gone, or what the target made itself', async () => {
    await applied(text)
    const { items } = await world().ask.listResources({ limit: 100 }, never)
    const system = items.find(({ displayName }) => displayName === '_tasks')!
    const more = [
      { address: 'Dashboard/gone' as Address, identity: '0000000000000bad' as Identity, needs: [] },
      { address: 'Bucket/own' as Address, identity: system.id as Identity, needs: [] },
      { address: 'Widget/odd' as Address, identity: '0000000000000bad' as Identity, needs: [] },
    ]
    const [known] = foreign.splice(0)
    foreign.push({ ...known!, resources: [...more, ...known!.resources] })
    expect((await take()).leftOut).toEqual([
      { kind: 'Dashboard', name: 'gone', id: '0000000000000bad', why: 'gone' },
      { kind: 'Bucket', name: 'own', id: system.id, why: 'system' },
      { kind: 'Widget', name: 'odd', id: '0000000000000bad', why: 'unknown-kind' },
    ])
  })
})

describe('a package that differs', () => {
  test('suspends the new stack: a person sees the plan, and resumes it', async () => {
    await applied(text)
    const before = await ids()
    await world().push(yaml(label('red', { color: '#445566' }), dashboard('ops'), task('rollup'), dashboard('new')))
    writes()
    const imported = await take({ dataLoss: 'allow' })
    expect(imported).toMatchObject({ held: true, plan: { counts: { create: 1, update: 1, remove: 1 } } })
    expect(
      imported.plan.changes
        .map(({ action, address, reason }) => [action, address, reason])
        .sort((a, b) => compareText(a.join(' '), b.join(' '))),
    ).toEqual([
      ['create', 'Dashboard/new', 'added'],
      ['remove', 'Bucket/raw', 'dropped'],
      ['remove', 'LabelMapping/Bucket/raw/red', 'dropped'],
      ['update', 'Label/red', 'edited'],
    ])
    expect(imported.stack).toMatchObject({ status: { state: 'Suspended' }, suspended: { by: 'ann', until: null } })
    expect((await world().ask.previewPlan('boards', {}, never)).changes).toEqual(imported.plan.changes)
    expect(writes()).toEqual([])
    await world().ask.resumeStack('boards', 'ann')
    const run = await world().lastRun('boards')
    expect(run).toMatchObject({ outcome: 'applied', changes: { create: 1, update: 1, remove: 1 } })
    const { 'Dashboard/new': _new, ...after } = await ids()
    const { 'Bucket/raw': _raw, ...kept } = before
    expect(Object.keys(after).filter((name) => !name.startsWith('LabelMapping/'))).toEqual(
      Object.keys(kept).filter((name) => !name.startsWith('LabelMapping/')),
    )
    expect(after['Dashboard/ops']).toBe(before['Dashboard/ops'])
  })

  test('waits for approval in place of a suspension, if the stack applies only after approval', async () => {
    await applied(text)
    await world().push(yaml(label('red', { color: '#445566' })))
    const imported = await take({ apply: 'approval' })
    expect(imported).toMatchObject({ held: false, stack: { suspended: null } })
    writes()
    expect((await world().ended('boards', imported.run!)).outcome).toBe('needs-approval')
    expect(writes()).toEqual([])
  })

  test('adopts what it declares beside the stack only when the plan is applied', async () => {
    await applied(text)
    const made = await world().ask.createResource(
      'Bucket',
      { name: 'cooked', description: '', retentionRules: [] },
      {},
      never,
    )
    await world().push(yaml(text, bucket('cooked')))
    const imported = await take()
    expect(imported.taken.map(({ name }) => name)).not.toContain('cooked')
    expect(imported.plan.changes).toMatchObject([{ address: 'Bucket/cooked', adopts: true, identity: made.id }])
    expect(imported.held).toBe(false)
  })

  test('that is broken refuses the import, and nothing is stored', async () => {
    await applied(text)
    await world().push('apiVersion: plain/v1\nkind: Bukket\nmetadata: {name: x}\n')
    expect(await refusal(take())).toMatchObject({ code: 'package/invalid' })
    expect((await world().ask.listStacks({})).items).toEqual([])
  })
})

describe('an import', () => {
  test('is previewed without storing anything', async () => {
    await applied(text)
    const before = await world().ask.listAllRuns({})
    const spec = world().spec('boards')
    const preview = await world().ask.previewImport({ stackID: 'f00d', spec }, never)
    expect(await world().ask.listAllRuns({})).toEqual(before)
    expect((await world().ask.listStacks({})).items).toEqual([])
    const { stack, run, plan, ...imported } = await take()
    expect([stack?.name, run]).toEqual(['boards', expect.any(String)])
    expect(preview).toEqual({ ...imported, stack: null, run: null, plan })
  })

  test('is refused if another stack owns a resource', async () => {
    await applied(text)
    await world().create('other', { adopt: 'allow' })
    expect(await refusal(take())).toMatchObject({
      status: 'conflict',
      code: 'stacks/owned-elsewhere',
      message: expect.stringContaining('belongs to stack other') as string,
    })
    expect((await world().ask.listStacks({})).items.map(({ name }) => name)).toEqual(['other'])
  })

  test('of an unknown stack is refused, and says how to see them', async () => {
    expect(await refusal(take({}, 'beef'))).toMatchObject({
      status: 'not-found',
      code: 'stacks/foreign-unknown',
      message: 'Target local has no stack with the id "beef".',
      hint: 'See what gitmoor does not manage there: gitmoor stack discover --target local',
    })
  })

  test('escapes what a name and a description of a stack may not contain', async () => {
    await applied(text, { name: 'Old\u001b[2J \u202eBoards', description: 'by\u0007 hand\non Monday' })
    const { name: _, ...spec } = world().spec('boards')
    const { stack } = await world().ask.importStack({ stackID: 'f00d', spec }, 'ann', never)
    expect(stack).toMatchObject({
      name: 'old-2j-boards',
      displayName: 'Old\\u001b[2J \\u202eBoards',
      spec: { description: 'by\\u0007 hand\non Monday' },
    })
  })

  test('needs a name, or a stack that has one', async () => {
    const { name: _, ...spec } = world().spec('boards')
    expect(await refusal(world().ask.importStack({ spec }, 'ann', never))).toMatchObject({ code: 'stacks/import-name' })
  })

  test('is in the history, with what the stack owns since its creation', async () => {
    await applied(text)
    const { stack, run } = await take()
    expect((await world().ended('boards', run!)).cause).toMatchObject({
      kind: 'created',
      by: 'ann',
      note: 'imports stack f00d of the target',
    })
    const events = await world().store.runs.events(stack!.id, 10)
    expect(events.at(-1)!.resources.map(({ resourceID }) => resourceID)).toHaveLength(4)
  })
})

describe('without a stack of the target', () => {
  test('an export is taken over as it is, also what has no unique name', async () => {
    await applied(yaml(text, task('second', { name: 'rollup' })))
    const exported = await world().ask.exportPackage({ targets: [{ target: 'local' }] }, never)
    await world().push(printYamlPackage(exported.documents))
    const before = await ids()
    writes()
    const imported = await matching()
    expect(imported).toMatchObject({ from: null, held: false, plan: { changes: [] }, warnings: [] })
    expect(imported.taken).toHaveLength(5)
    expect((await world().ended('boards', imported.run!)).outcome).toBe('unchanged')
    expect(writes()).toEqual([])
    expect(await ids()).toEqual(before)
  })

  test('a package of a person takes over what only one resource is called', async () => {
    await applied(yaml(text, task('second', { name: 'twice' }), task('third', { name: 'twice' })))
    await world().push(yaml(text, task('new', { name: 'twice' })))
    const imported = await matching()
    expect(imported.taken.map(({ kind, name }) => `${kind}/${name}`)).toEqual([
      'Bucket/raw',
      'Dashboard/ops',
      'Label/red',
      'Task/rollup',
    ])
    expect(imported.plan.changes.map(({ action, address }) => [action, address])).toEqual([['create', 'Task/new']])
    expect(imported.held).toBe(true)
  })

  test('what another stack owns stays there', async () => {
    await world().push(text)
    await world().create('other')
    const imported = await matching()
    expect(imported.taken).toEqual([])
    expect(imported.plan.changes.map(({ action, address, shares }) => [action, address, shares])).toEqual(
      expect.arrayContaining([
        ['update', 'Bucket/raw', true],
        ['create', 'Dashboard/ops', undefined],
      ]),
    )
  })
})

describe('what no stack manages', () => {
  test('is counted for each family, without what the target made itself', async () => {
    await applied(text)
    await world().push(yaml(label('red'), bucket('raw', { labels: ['red'] })))
    await world().create('some')
    const resources = foreign[0]!.resources.filter(({ partOf }) => partOf === undefined).length
    expect(await world().ask.listUnmanaged('local', never)).toEqual({
      target: 'local',
      managed: 2,
      families: [
        { family: 'Dashboard', count: 1, names: ['ops'] },
        { family: 'Task', count: 1, names: ['rollup'] },
      ],
      stacks: [{ id: 'f00d', name: 'Old Boards', description: 'by hand', resources, unmanaged: 2, stacks: ['some'] }],
      warnings: [],
    })
  })

  test('is exported alone', async () => {
    await applied(text)
    await world().push(yaml(label('red')))
    await world().create('some')
    const { documents } = await world().ask.exportPackage({ targets: [{ target: 'local', unmanaged: true }] }, never)
    // The label comes with the bucket that has it.
    expect(documents.map(({ kind }) => kind as string).sort(compareText)).toEqual([
      'Bucket',
      'Dashboard',
      'Label',
      'Task',
    ])
    const tasks = { target: 'local', unmanaged: true, kinds: ['Label'] }
    expect((await world().ask.exportPackage({ targets: [tasks] }, never)).documents).toEqual([])
  })

  test('of an unknown target is refused', async () => {
    expect(await refusal(world().ask.listUnmanaged('nowhere', never))).toMatchObject({ code: 'stacks/target-unknown' })
  })
})
