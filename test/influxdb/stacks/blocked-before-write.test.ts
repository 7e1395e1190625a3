// What closes between the plan of a run and its first write.
import { describe, expect, test } from 'vitest'
import { bucket, label, yaml } from '../packages.js'
import { templates, type WireReply } from '../../e2e/wire-door.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../world.js'

const world = useWorld()
const hour = 3_600_000
/** Closed from 01:00 to 02:00. The clock of a world begins at 00:00. */
const windows = [{ kind: 'deny', schedule: '0 1 * * *', durationMs: hour, reason: 'freeze' }] as const
const override = { overrideWindow: true, why: 'INC-7' }

const apply = (text: string, more: object = {}): Promise<WireReply> => templates(world(), [text], { ...more })
const everySeconds = async (): Promise<unknown> => (await world().live())['Bucket/raw']!.live['retentionRules']
const stacks = async (): Promise<number> => (await world().ask.listStacks({})).items.length

/** Does something while the run reads the target, once. */
function whilePlanning(event: () => unknown): void {
  let isOver = false
  world().platform.onCall(async ({ verb }) => {
    if (isOver || verb !== 'read' || world().agent.live.inProgress.size === 0) return
    isOver = true
    await event()
  })
}

const closeWindow = (): void => world().clock.advance(hour)

describe('an apply over /api/v2 checks the stacks that it takes from again:', () => {
  async function owned(): Promise<void> {
    await world().push(bucket('raw', { every: 3600 }))
    await world().create('boards', { drift: 'ignore', windows })
    world().platform.reset()
  }

  test('a window that closed meanwhile is 409, as at the request, and nothing is written', async () => {
    await owned()
    const before = await world().live()
    whilePlanning(closeWindow)
    expect(await apply(bucket('raw', { every: 7200 }))).toMatchObject({
      status: 409,
      body: { code: 'conflict', message: expect.stringMatching(/^boards: A sync window denies writes/) as string },
    })
    expect([await world().live(), world().platform.writes, await stacks()]).toEqual([before, [], 1])
    expect((await world().ask.explainStack('boards')).overrides).toEqual([])
  })

  test('an override counts for a window that closed meanwhile, and is recorded once', async () => {
    await owned()
    whilePlanning(closeWindow)
    expect((await apply(bucket('raw', { every: 7200 }), override)).status).toBe(201)
    expect(await everySeconds()).toMatchObject([{ everySeconds: 7200 }])
    expect((await world().ask.explainStack('boards')).overrides).toMatchObject([
      { what: expect.stringMatching(/^take resources over into template-/) as string, why: 'INC-7' },
    ])
  })

  test('a suspension that began meanwhile refuses the apply, also with an override', async () => {
    await owned()
    const before = await world().live()
    whilePlanning(() => world().ask.suspendStack('boards', 'freeze', undefined, 'ann'))
    expect(await apply(bucket('raw', { every: 7200 }), override)).toMatchObject({
      status: 422,
      body: { code: 'conflict', message: 'boards is suspended by ann: freeze. Resume it first: gitmoor resume boards' },
    })
    expect([await world().live(), world().platform.writes, await stacks()]).toEqual([before, [], 1])
  })
})

describe('a run that has written nothing when its window closes', () => {
  test('is refused with 409 if an apply over /api/v2 requested it', async () => {
    const { body } = await apply(label('red'))
    await world().ask.updateStack(body.stackID, { windows }, 'ann')
    world().platform.reset()
    whilePlanning(closeWindow)
    expect(await apply(label('blue'), { stackID: body.stackID })).toMatchObject({
      status: 409,
      body: { code: 'conflict', message: expect.stringContaining('freeze') as string },
    })
    expect([await world().names(), world().platform.writes]).toEqual([['Label/red'], []])
    expect((await apply(label('blue'), { stackID: body.stackID, ...override })).status).toBe(201)
    expect(await world().names()).toEqual(['Label/blue'])
  })

  test('waits until the window opens if it carries out an approval', async () => {
    await world().push(yaml(label('red'), label('blue'), label('green')))
    await world().create('boards', { windows })
    await world().push(label('red'))
    const blocked = await world().sync('boards')
    world().platform.reset()
    whilePlanning(closeWindow)
    const row = await world().ask.approvePlan('boards', blocked.plan!.digest, 'ann', never)
    expect(row).toMatchObject({ phase: 'queued', outcome: null })
    expect(world().platform.writes).toEqual([])
    world().clock.advance(hour)
    expect(await world().ended('boards', row.id)).toMatchObject({ outcome: 'applied' })
    expect(await world().names()).toEqual(['Label/red'])
  })

  test('waits until the window opens if no person requested it', async () => {
    await world().push(label('red'))
    const { id } = await world().create('boards', { windows })
    world().platform.reset()
    whilePlanning(closeWindow)
    await world().push(yaml(label('red'), label('blue')))
    world().clock.advance(60_000)
    const run = await until('a run is blocked', async () => {
      const last = (await world().ask.getStack('boards')).lastRun!.id
      const { blockers } = await world().ask.getRun('boards', last)
      return last !== id && blockers.some(({ reason }) => reason === 'Window') && last
    })
    expect([await world().names(), world().platform.writes]).toEqual([['Label/red'], []])
    world().clock.advance(hour)
    expect(await world().ended('boards', run)).toMatchObject({ outcome: 'applied' })
    expect(await world().names()).toEqual(['Label/blue', 'Label/red'])
  })
})
