// Large files are parsed in a thread; what they say is the same, and the loop goes round meanwhile.
import { setImmediate as nextRound } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readPackage } from '../../../src/package/package.js'
import { PackageReader } from '../../../src/stacks/load-package/package-reader.js'
import { never } from '../../e2e/world.js'
import { label } from '../../e2e/packages.js'
import { file } from '../../graph/read-texts.js'

let packages: PackageReader
beforeEach(() => {
  packages = new PackageReader()
})
afterEach(() => packages[Symbol.dispose]())

const large = [
  file('b.yml', Array.from({ length: 5_000 }, (_, at) => `${label(`l${at}`)}\n`).join('---\n')),
  file('a.yml', label('first')),
]

/** Rounds of the loop until it is done. */
async function roundsOf(work: Promise<unknown>): Promise<number> {
  const progress = { rounds: 0, done: false }
  void work.finally(() => (progress.done = true))
  for (; !progress.done; progress.rounds++) await nextRound()
  return progress.rounds
}

test('gives the same documents as reading at once, with the lines of their fields', async () => {
  const expected = readPackage(large)
  const reading = packages.read(large, {}, never)
  expect(await roundsOf(reading)).toBeGreaterThan(10)
  const { value, problems } = await reading
  expect(problems).toEqual([])
  expect(value.map(({ body, name, place }) => [body, name, place.line])).toEqual(
    expected.value.map(({ body, name, place }) => [body, name, place.line]),
  )
  expect(value[4_000]!.locate('/spec/color').line).toBe(expected.value[4_000]!.locate('/spec/color').line)
})

test('says of a file that cannot be read what reading at once says', async () => {
  const broken = [file('a.yml', `${large[0]!.bytes.toString()}\nkind: a\nkind: b\n`), file('c.yml', label('other'))]
  const { value, problems } = await packages.read(broken, {}, never)
  expect(problems).toEqual(readPackage(broken).problems)
  expect(value).toHaveLength(1)
})

test('reads on after a reading that was given up', async () => {
  const controller = new AbortController()
  const given = packages.read(large, {}, controller.signal)
  await nextRound()
  controller.abort(new Error('given up'))
  await expect(given).rejects.toThrow('given up')
  expect((await packages.read(large, {}, never)).value).toHaveLength(5_001)
})
