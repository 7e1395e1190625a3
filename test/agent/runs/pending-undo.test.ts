// An undo that its target does not carry out: what people see of it until it does.
import { expect, test } from 'vitest'
import { Unavailable } from '../../../src/model/errors.js'
import { label, yaml } from '../../e2e/packages.js'
import { until } from '../../e2e/until.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()

test('says that it is not undone yet, when it is tried again, and Undone only after that', async () => {
  await world().push(yaml(label('red'), label('blue')))
  await world().create('boards')
  await world().push(yaml(label('red', { color: '#ffffff' }), label('blue', { color: '#ffffff' })))
  let left = 2
  world().platform.onCall(({ verb }) => {
    if (verb === 'update' && --left <= 0) throw new Unavailable('The target is away.', { code: 'platform/away' })
  })
  const { id } = await world().ask.requestSync('boards', 'ann', never)
  const blocked = await until('the undo waits', async () => {
    const run = await world().ask.getRun('boards', id)
    return run.blockers.length > 0 && run
  })
  expect(blocked).toMatchObject({
    phase: 'undoing',
    outcome: null,
    blockers: [
      {
        reason: 'Undoing',
        message: expect.stringMatching(
          /^Changes of run \d+ are not undone yet: target local did not carry that out\. gitmoor tries again at /,
        ),
        until: expect.any(String) as string,
        next: [{ cli: 'gitmoor target test local' }],
      },
    ],
  })
  const { status } = await world().ask.getStack('boards')
  expect(status).toMatchObject({ state: 'Failed', reason: 'Undoing' })
  world().platform.reset()
  world().clock.advance(60_000)
  const ended = await world().ended('boards', id)
  expect(ended).toMatchObject({ phase: 'done', outcome: 'undone', blockers: [] })
  expect((await world().ask.getStack('boards')).status.reason).toBe('Undone')
  expect(Object.values(await world().live()).map(({ live }) => live['color'])).not.toContain('#ffffff')
})
