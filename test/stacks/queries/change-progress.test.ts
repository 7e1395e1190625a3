import { expect, test } from 'vitest'
import { Rejected } from '../../../src/model/errors.js'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { useWorld } from '../../e2e/world.js'

const world = useWorld()

test('a run that did not complete its plan says which of its changes were made', async () => {
  await world().push(label('old'))
  await world().create('boards', { onFailure: 'continue' })
  world().platform.onCall(({ verb, family }) => {
    if (verb === 'create' && family === 'Bucket') throw new Rejected('no buckets today', { code: 'platform/refused' })
  })
  await world().push(yaml(bucket('raw'), label('red')))
  const failed = await world().sync('boards')
  const shown = await world().ask.getRun('boards', failed.id)
  expect(shown).toMatchObject({
    outcome: 'failed',
    progress: { 'Bucket/raw': 'not-done', 'Label/red': 'done', 'Label/old': 'done' },
  })
  world().platform.onCall(() => {})
  const applied = await world().sync('boards')
  expect((await world().ask.getRun('boards', applied.id)).progress).toBeUndefined()
  expect((await world().ask.getRun('boards', failed.id)).progress).toMatchObject({
    'Bucket/raw': 'not-done',
    'Label/red': 'done',
    'Label/old': 'unknown',
  })
})
