// The configuration of a running agent, as people see it.
import { describe, expect, test } from 'vitest'
import type { Problem } from '../../../src/model/problem.js'
import { refusal } from '../../e2e/refusal.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()
const values = [
  { path: 'limits.run', value: '30m', source: 'default', line: null },
  { path: 'limits.files', value: 10, source: 'file', line: 3 },
  { path: 'listen', value: '127.0.0.1:4470', source: 'option', line: null },
  { path: 'stacks[0]', value: 'boards', source: 'file', line: 7 },
] as const

describe('the configuration', () => {
  test('comes page by page, or one section of it', async () => {
    await world().reload({ changed: { values } })
    const first = await world().ask.getConfiguration({ limit: 3 })
    expect(first.items).toEqual(values.slice(0, 3))
    expect((await world().ask.getConfiguration({ limit: 3, after: first.next! })).items).toEqual(values.slice(3))
    expect(await world().ask.getConfiguration({ section: 'limits' })).toMatchObject({
      items: values.slice(0, 2),
      next: null,
    })
    expect((await world().ask.getConfiguration({ section: 'stacks' })).items).toEqual(values.slice(3))
    expect((await world().ask.getConfiguration({ section: 'none' })).items).toEqual([])
    expect(await refusal(world().ask.getConfiguration({ after: 'none' }))).toMatchObject({
      code: 'stacks/invalid-cursor',
    })
  })

  test('stays that of the last accepted file, with the reason of a refused reload', async () => {
    await world().reload({ changed: { values } })
    const problem: Problem = {
      severity: 'error',
      code: 'config/unknown-key',
      message: '"limit" is not a key.',
      place: { file: 'gitmoor.yaml', index: 0, pointer: '/limit', line: 4 },
    }
    await world().reload([problem])
    const { configuration, items } = await world().ask.getConfiguration({})
    expect(items).toEqual(values)
    expect(configuration.refused?.problems).toMatchObject([{ message: '"limit" is not a key.', place: { line: 4 } }])
  })

  test('is not part of the diagnosis', async () => {
    await world().reload({ changed: { values } })
    expect((await world().ask.diagnose(never)).configuration).not.toHaveProperty('values')
  })
})
