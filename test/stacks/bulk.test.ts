// One command for several named stacks.
import { expect, test } from 'vitest'
import { openDoor } from '../api/request-api.js'
import { label } from '../e2e/packages.js'
import { never, useWorld } from '../e2e/world.js'

const world = useWorld()

test('each stack has its result, and a refused one does not stop the others', async () => {
  await world().push(label('red'))
  for (const name of ['alerts', 'boards']) await world().create(name)
  const suspend = { verb: 'suspend', why: 'audit' } as const
  expect(await world().ask.runBulk(suspend, ['boards', 'none', 'alerts', 'boards'], 'ann', never)).toMatchObject({
    items: [
      { name: 'boards', run: null, error: null },
      { name: 'none', run: null, error: { code: 'stacks/unknown' } },
      { name: 'alerts', run: null, error: null },
    ],
  })
  expect((await world().ask.getStack('alerts')).suspended).toMatchObject({ why: 'audit', by: 'ann', until: null })
  const refused = await world().ask.runBulk({ verb: 'sync' }, ['boards'], 'ann', never)
  expect(refused.items).toMatchObject([{ run: null, error: { code: 'stacks/suspended' } }])
  await world().ask.runBulk({ verb: 'resume' }, ['boards'], 'ann', never)
  const { items } = await world().ask.runBulk({ verb: 'sync' }, ['boards'], 'ann', never)
  expect(items).toEqual([{ name: 'boards', run: expect.stringMatching(/^\d+$/), error: null }])
})

test('a suspension without a reason, and more than 100 names, are refused', async () => {
  const door = openDoor()
  const send = async (body: object): Promise<number> => (await door.request('POST', '/api/v1/bulk', body)).status
  expect(await send({ verb: 'suspend', names: ['boards'], why: ' ' })).toBe(400)
  expect(await send({ verb: 'sync', names: Array.from({ length: 101 }, (_, at) => `s${at}`) })).toBe(422)
  expect(await send({ verb: 'delete', names: ['boards'] })).toBe(422)
  expect(door.calls).toEqual([])
})
