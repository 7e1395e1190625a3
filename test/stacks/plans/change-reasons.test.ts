// The reason of a change through the whole agent: the package, a decision of a person, or an input.
import { describe, expect, test } from 'vitest'
import { declareStacks } from '../../../src/stacks/changes/declare-stacks.js'
import type { MoveView } from '../../../src/views/channel.js'
import type { PlanView } from '../../../src/views/plan.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()
const one = yaml(label('l1'), bucket('raw', { every: 604_800 }))
const two = yaml(label('l1', { color: '#ff0000' }), label('l2'), bucket('raw', { every: 2_592_000 }))

/** The reasons of a plan's changes, by address. */
function reasons(plan: PlanView | null): Readonly<Record<string, string>> {
  return Object.fromEntries(plan!.changes.map(({ address, reason }) => [address, reason]))
}

async function reasonsOf(run: string): Promise<Readonly<Record<string, string>>> {
  return reasons((await world().ended('boards', run)).plan)
}

/** The stack follows stable, which moved from the first package to the second. Returns the first run. */
async function released(): Promise<string> {
  await world().push(one, 'stable')
  const { id } = await world().create('boards', { ref: 'stable', dataLoss: 'allow' })
  await world().push(two, 'stable')
  const run = await world().sync('boards')
  expect(reasons(run.plan)).toEqual({ 'Label/l1': 'edited', 'Label/l2': 'added', 'Bucket/raw': 'edited' })
  return id
}

async function newest(): Promise<MoveView> {
  return (await world().ask.listMoves('stable', {})).items[0]!
}

const back = (reason: string): object => ({ 'Label/l1': reason, 'Label/l2': reason, 'Bucket/raw': reason })

describe('a decision of a person is the reason of what it changes', () => {
  test('a rollback, and its end', async () => {
    const first = await released()
    expect(await reasonsOf((await world().ask.rollBack('boards', first, 'slow', 'ann')).id)).toEqual(back('rollback'))
    expect(await reasonsOf((await world().ask.unpinStack('boards', 'ann')).run!)).toEqual(back('unpin'))
  })

  test('a veto: it says which stacks move, and to what', async () => {
    await released()
    const { id, from } = await newest()
    const { moved } = await world().ask.vetoMove(id, { why: 'wrong', by: 'ann' })
    expect(moved).toEqual([{ stack: 'boards', run: moved[0]!.run, revision: `stable@sha1:${from!.commit}` }])
    expect(await reasonsOf(moved[0]!.run)).toEqual(back('veto'))
  })

  test('a veto whose plan needs approval, also in later plans and in the approved run', async () => {
    await released()
    await world().ask.updateStack('boards', { dataLoss: 'refuse' }, 'ann')
    await world().lastRun('boards')
    const { id } = await newest()
    const { moved } = await world().ask.vetoMove(id, { why: 'wrong', by: 'ann' })
    expect((await world().ended('boards', moved[0]!.run)).outcome).toBe('needs-approval')
    const plan = await world().ask.previewPlan('boards', {}, never)
    expect(reasons(plan)).toEqual(back('veto'))
    const approved = await world().ask.approvePlan('boards', plan.digest, 'ann', never)
    expect(await reasonsOf(approved.id)).toEqual(back('veto'))
    const explained = await world().ask.explainResource('boards', 'Bucket/raw')
    expect(explained.lastChange).toMatchObject({ reason: 'veto' })
  })

  test('a pin of the channel, and its end; a suspended stack moves when it is resumed', async () => {
    await released()
    const first = (await world().ask.listMoves('stable', {})).items.at(-1)!
    const { moved } = await world().ask.pinChannel('stable', { at: first.id, why: 'audit', by: 'ann' }, never)
    expect(await reasonsOf(moved[0]!.run)).toEqual(back('pin'))
    await world().ask.suspendStack('boards', 'freeze', undefined, 'ann')
    const ended = await world().ask.unpinChannel('stable', { why: '', by: 'ann' })
    expect(ended.moved).toMatchObject([{ stack: 'boards', suspended: true }])
    await world().ask.resumeStack('boards', 'ann')
    expect(reasons((await world().lastRun('boards')).plan)).toEqual(back('unpin'))
  })

  test('a later commit of the package is a change of the package again', async () => {
    const first = await released()
    await world().ended('boards', (await world().ask.rollBack('boards', first, '', 'ann')).id)
    await world().push(yaml(label('l1', { color: '#00ff00' }), bucket('raw', { every: 604_800 })), 'stable')
    expect(reasons((await world().sync('boards')).plan)).toEqual({ 'Label/l1': 'edited' })
  })
})

describe('an input is the reason of what it changes', () => {
  const slack = `apiVersion: plain/v1
kind: NotificationEndpointSlack
metadata: {name: slack}
spec: {name: {envRef: {key: name}}, url: 'https://hooks.example.test/x', token: {secretRef: {key: token}}}
`

  test('a secret and a value of the environment', async () => {
    world().environment.set('TOKEN', 'first').set('NAME', 'ops')
    await world().push(slack)
    const inputs = { secrets: { token: '${env:TOKEN}' }, values: { name: '${env:NAME}' } }
    await declareStacks([world().spec('boards', inputs)], { sync: world().agent.sync, scheduler: world().agent })
    await world().lastRun('boards')
    world().environment.set('TOKEN', 'second')
    expect(reasons((await world().sync('boards')).plan)).toEqual({ 'Secret/token': 'secret' })
    world().environment.set('NAME', 'team')
    expect(reasons((await world().sync('boards')).plan)).toEqual({ 'NotificationEndpoint/slack': 'value' })
  })

  const named = label('l2').replace('name: "l2"', 'name: {envRef: {key: name}}')

  test('a changed value of the settings, in the plan of the change and in its run', async () => {
    await world().push(yaml(label('l1'), named))
    await world().create('boards', { values: { name: 'ops' } })
    const before = await world().ask.getStack('boards')
    const preview = await world().ask.previewUpdate('boards', { setValues: { name: 'team' } })
    expect(await world().ask.getStack('boards')).toEqual(before)
    expect(preview.changes).toMatchObject([{ path: 'values.name', old: 'ops', new: 'team' }])
    const { plan } = await world().ask.updateStack('boards', { setValues: { name: 'team' } }, 'ann')
    expect(preview.plan).toEqual(plan)
    const again = await world().ask.previewUpdate('boards', { setLabels: { team: 'ops' } })
    expect(again).toEqual({ changes: [{ path: 'labels.team', new: 'ops' }] })
    expect(reasons(plan!)).toEqual({ 'Label/l2': 'value' })
    expect(reasons((await world().lastRun('boards')).plan)).toEqual({ 'Label/l2': 'value' })
  })

  test('a pushed value, but not the files that were pushed with it', async () => {
    await world().ask.createStack(world().spec('boards', { sources: [{ kind: 'inline' }] }), 'ann')
    const push = async (
      first: string,
      values: Readonly<Record<string, string>>,
    ): Promise<Readonly<Record<string, string>>> => {
      const files = [
        { path: 'a.yml', text: first },
        { path: 'b.yml', text: named },
      ]
      const { id } = await world().ask.pushPackage('boards', { files, values }, 'ann', never)
      return reasonsOf(id)
    }
    expect(await push(label('l1'), { name: 'ops' })).toEqual({ 'Label/l1': 'added', 'Label/l2': 'added' })
    expect(await push(label('l1'), { name: 'team' })).toEqual({ 'Label/l2': 'value' })
    const edited = label('l1', { color: '#ff0000' })
    expect(await push(edited, { name: 'crew' })).toEqual({ 'Label/l1': 'edited', 'Label/l2': 'value' })
    const { items } = await world().ask.listRuns('boards', {})
    const first = items.filter(({ outcome }) => outcome === 'applied').at(-1)!
    const rolledBack = await world().ask.rollBack('boards', first.id, 'wrong name', 'ann')
    expect(await reasonsOf(rolledBack.id)).toEqual({ 'Label/l1': 'rollback', 'Label/l2': 'rollback' })
  })
})
