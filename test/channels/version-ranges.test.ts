// Stacks that follow a range of versions over tags.
import { describe, expect, test } from 'vitest'
import { explanationLines } from '../../src/cli/text/explanation-text.js'
import { moveLines } from '../../src/cli/text/channel-text.js'
import { revisionHash } from '../../src/model/sources/revision.js'
import { causeText } from '../../src/model/stacks/run.js'
import { styleFor } from '../../src/cli/text/text.js'
import { planLines } from '../../src/cli/text/plan/plan-text.js'
import { historyLines, outcomeLines } from '../../src/cli/text/run-text.js'
import { stackLines, stackListLines } from '../../src/cli/text/stack-text.js'
import { bucket, label, yaml } from '../e2e/packages.js'
import { refusal } from '../e2e/refusal.js'
import { never, useWorld } from '../e2e/world.js'
import { sha1 } from '../source/git-world.js'

const world = useWorld()
const ref = 'semver:^1.2'
const lookOf = () => ({ style: styleFor({ isTTY: false }, {}), now: world().clock.now(), width: 100 })

/** The channel, however often it is asked for. */
const moves = async () => (await world().ask.listMoves(ref, {})).items

test('the highest tag that fits is applied, the next one when it is pushed, and one that does not fit is left', async () => {
  const first = await world().push(label('red'), 'v1.2.0')
  expect(await world().create('boards', { ref })).toMatchObject({
    outcome: 'applied',
    revision: `${ref}@${sha1(first)}`,
  })
  const second = await world().push(label('blue'), 'v1.10.0')
  await world().push(label('green'), 'v2.0.0', 'v1.11.0-rc.1')
  expect(await world().sync('boards')).toMatchObject({
    outcome: 'applied',
    revision: `${ref}@${sha1(second)}`,
    cause: { kind: 'tag-moved', ref, tag: 'v1.10.0', from: first, to: second },
  })
  expect(await world().names()).toEqual(['Label/blue'])
})

test('the stack, the run, the explanation and the log of the channel show the chosen tag', async () => {
  await world().push(label('red'), 'v1.2.0')
  await world().create('boards', { ref })
  await world().push(label('blue'), 'v1.4.2')
  const run = await world().sync('boards')
  const stack = await world().ask.getStack('boards')
  const explained = await world().ask.explainStack('boards')
  expect(stack.sources).toMatchObject([{ ref, tag: 'v1.4.2' }])
  expect(explained.follows).toMatchObject([{ tag: 'v1.4.2' }])
  expect(await moves()).toMatchObject([
    { from: { tag: 'v1.2.0' }, to: { tag: 'v1.4.2' } },
    { from: null, to: { tag: 'v1.2.0' } },
  ])
  expect((await world().ask.listChannels({})).items).toMatchObject([{ ref, tag: 'v1.4.2' }])
  for (const lines of [moveLines(await moves(), lookOf()), [causeText(run.cause)], [explained.lastRun]])
    expect(lines.join('\n')).toContain('v1.4.2')
  const plan = await world().ask.previewPlan('boards', {}, never)
  for (const lines of [
    stackLines(stack, lookOf()),
    stackListLines((await world().ask.listStacks({})).items, lookOf()),
    explanationLines(explained, lookOf()),
    historyLines((await world().ask.listRuns('boards', {})).items, lookOf()),
    historyLines((await world().ask.listAllRuns({})).items, lookOf()),
    outcomeLines(run, 'boards', lookOf()),
    planLines(plan, lookOf()),
  ])
    expect(lines.join('\n')).toContain(`^1.2 → v1.4.2@${revisionHash(plan.revision).slice(5, 12)}`)
})

test('a higher tag of the same commit is a move of the channel and no run', async () => {
  const commit = await world().push(label('red'), 'v1.2.0')
  const run = await world().create('boards', { ref })
  await world().repository.tag('v1.3.0', commit)
  expect(await world().sync('boards')).toMatchObject({ cause: { kind: 'person' } })
  expect((await world().ask.listRuns('boards', {})).items.map(({ id, cause }) => [id, cause.kind]).at(-1)).toEqual([
    run.id,
    'created',
  ])
  expect((await world().ask.getStack('boards')).sources).toMatchObject([{ tag: 'v1.3.0' }])
  expect(await moves()).toHaveLength(2)
})

test('a higher version that changes nothing below the path does not read the target', async () => {
  await world().repository.commit({ files: { 'boards/a.yml': label('red'), 'README.md': '1' }, tags: ['v1.2.0'] })
  await world().create('boards', { ref, path: 'boards' })
  await world().create('file', { ref, path: 'boards/a.yml' })
  await world().repository.commit({ files: { 'README.md': '2', 'boards/notes.md': 'no package' }, tags: ['v1.2.1'] })
  expect(await world().sync('file')).toMatchObject({ outcome: 'unchanged', plan: null, cause: { tag: 'v1.2.1' } })
})

test('a deleted version selects the one before it, and deleting the last one keeps the applied revision', async () => {
  const first = await world().push(label('red'), 'v1.2.0')
  await world().create('boards', { ref })
  await world().push(label('blue'), 'v1.3.0')
  await world().sync('boards')
  await world().repository.remove('refs/tags/v1.3.0')
  expect(await world().sync('boards')).toMatchObject({ outcome: 'applied', revision: `${ref}@${sha1(first)}` })
  await world().repository.remove('refs/tags/v1.2.0')
  expect(await refusal(world().ask.requestSync('boards', 'ann', never))).toMatchObject({
    code: 'source/ref-missing',
    message: expect.stringContaining(`matches ${ref}`) as string,
  })
  expect(await world().names()).toEqual(['Label/red'])
})

describe('a range can be', () => {
  test('planned before it is followed', async () => {
    await world().push(label('red'), 'v1.2.0')
    await world().create('boards', { ref })
    await world().push(yaml(label('red'), bucket('raw')), 'v2.1.0')
    const plan = await world().ask.previewPlan('boards', { ref: 'semver:>=2 <3' }, never)
    expect(plan.changes.map(({ address }) => address)).toEqual(['Bucket/raw'])
  })

  test('searched for packages', async () => {
    await world().repository.commit({ files: { 'old/a.yml': label('red') }, tags: ['boards/v1.2.0'] })
    await world().repository.commit({ files: { 'new/a.yml': label('red') }, removed: ['old/a.yml'] })
    const found = await world().ask.discoverPackages({ url: world().url, ref: 'semver:boards/v:^1' }, never)
    expect(found).toMatchObject({ ref: 'semver:boards/v:^1', packages: [{ path: 'old' }] })
  })
})
