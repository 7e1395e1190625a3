// Where only one of the errors of a package is shown, it is the likely cause of the others, which are counted.
import { beforeEach, expect, test } from 'vitest'
import { bucket, label, yaml } from '../../e2e/packages.js'
import { never, useWorld } from '../../e2e/world.js'

const world = useWorld()
const firstOfThree = /^b\.yml:\d+:\d+ cannot be read: .*\(and 2 more errors\)$/

/** The labels that the first file refers to are in a file that cannot be read. */
beforeEach(async () => {
  const files = {
    'a.yml': yaml(bucket('raw', { labels: ['red'] }), bucket('old', { labels: ['blue'] })),
    'b.yml': `${yaml(label('red'), label('blue'))}  broken: [\n`,
  }
  await world().repository.commit({ files })
  await world().create('boards')
})

test('an error of reading a file comes before those that may follow from it', async () => {
  const { problems } = await world().lastRun('boards')
  expect(problems.map(({ place }) => place?.file)).toEqual(['b.yml', 'a.yml', 'a.yml'])
})

test('a list of stacks, their histories and the doctor count the errors that they do not show', async () => {
  const { items } = await world().ask.listStacks({})
  expect(items[0]!.status.message).toMatch(firstOfThree)
  const { id } = await world().lastRun('boards')
  expect(items[0]!.status.next.at(-1)).toMatchObject({ cli: `gitmoor history boards ${id}` })
  const history = await world().ask.listRuns('boards', {})
  expect(history.items[0]!.firstError).toMatch(firstOfThree)
  const { checks } = await world().ask.diagnose(never)
  expect(checks.find(({ name }) => name === 'stack boards')!.message).toMatch(firstOfThree)
})

test('what lists every error does not count them', async () => {
  const { blockers } = await world().ask.explainStack('boards')
  expect(blockers).toHaveLength(3)
  for (const { message } of blockers) expect(message).not.toContain('more error')
})
