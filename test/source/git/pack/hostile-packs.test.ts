// What a git server may send as a pack, to harm: it is refused in words, quickly, whatever it is; and what is well
// formed is indexed as git does.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rootTreeId } from '../../../../src/source/git/mirror/check-complete.js'
import { indexPack } from '../../../../src/source/git/pack/index-pack.js'
import { PackedObjects } from '../../../../src/source/git/pack/packed-objects.js'
import { packLimits } from '../../../../src/source/git/pack/pack-limits.js'
import { errorOf, never, sha1, useGitWorld } from '../../git-world.js'
import { blob, delta, distance, entry, idOf, pack, sizeOf } from '../../packs.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'gitmoor-pack-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const MIB = 1024 * 1024
const base = 'the base of it'
const baseId = idOf('blob', Buffer.from(base))

function index(
  bytes: Buffer,
  { signal = never, bases = new PackedObjects([]), name = 'a', packBytes = MIB } = {},
): Promise<void> {
  writeFileSync(join(directory, `${name}.pack`), bytes)
  return indexPack(join(directory, `${name}.pack`), { remote: 'REMOTE', packBytes, bases }, signal)
}

/** Differences to the one before, each by its distance. */
function chain(length: number): Buffer[] {
  const entries = [blob(base)]
  for (let at = 0; at < length; at++) {
    const before = at === 0 ? base.length : `number ${at - 1}`.length
    entries.push(entry('to offset', delta(before, `number ${at}`), { base: distance(entries.at(-1)!.length) }))
  }
  return entries
}

/** The same, each by the id of its base, and in reverse: what comes first leans on what comes later. */
function reversed(length: number): Buffer[] {
  const texts = [base, ...Array.from({ length }, (_, at) => `number ${at}`)]
  const entries = texts.slice(1).map((text, at) => {
    const on = Buffer.from(texts[at]!)
    return entry('to id', delta(on.length, text), { base: Buffer.from(idOf('blob', on), 'hex') })
  })
  return [blob(base), ...entries].reverse()
}

const damaged = { name: 'Unavailable', code: 'source/damaged' }
const tooLarge = { name: 'Rejected', code: 'source/pack-too-large' }
const missing = { name: 'DamagedMirror' }
const smallCommit = entry('commit', Buffer.from('tree\n'))
const onBase = (content: Buffer, from: number): Buffer => entry('to offset', content, { base: distance(from) })
const stored = Buffer.concat([
  Buffer.from('7801', 'hex'),
  ...Array.from({ length: 5000 }, () => Buffer.from('000000ffff', 'hex')),
])

const faults: Readonly<Record<string, readonly [Buffer, object]>> = {
  'is no pack': [Buffer.from('no pack at all, but long enough for one'), damaged],
  'says it has four billion objects': [pack([blob(base)], 2 ** 32 - 1), tooLarge],
  'says it has more objects than fit into it': [pack([blob(base)], 900_000), damaged],
  'has fewer objects than it says': [pack([blob(base)], 2), damaged],
  'has more objects than it says': [pack([blob(base), blob('more')], 1), damaged],
  'has the same object twice': [pack([blob(base), blob(base)]), damaged],
  'has an object of no known type': [pack([Buffer.concat([Buffer.from([0x51]), blob(base)])]), damaged],
  'announces an object of a petabyte': [pack([entry('blob', Buffer.from(base), { size: 2 ** 50 })]), tooLarge],
  'announces less than an object has': [pack([entry('blob', Buffer.from(base), { size: 3 })]), damaged],
  'announces more than an object has': [pack([entry('blob', Buffer.from(base), { size: 30 })]), damaged],
  'unpacks to far more than it weighs': [pack([entry('blob', Buffer.alloc(9 * MIB))]), tooLarge],
  'has a commit of more than a MiB': [pack([entry('commit', Buffer.alloc(MIB + 1, 'h v\n'))]), tooLarge],
  'has a tag of more than a MiB': [pack([entry('tag', Buffer.alloc(5 * MIB, 'h v\n'))]), tooLarge],
  'has a difference that makes a commit of more than a MiB': [
    pack([smallCommit, onBase(delta(5, 'x', MIB + 1), smallCommit.length)]),
    tooLarge,
  ],
  'packs one byte into thousands': [pack([entry('blob', Buffer.from('x'), { packed: stored })]), damaged],
  'has a difference to itself': [pack([blob(base), onBase(delta(14, 'x'), 0)]), damaged],
  'has a difference to what is before the pack': [pack([blob(base), onBase(delta(14, 'x'), 999_999)]), damaged],
  'has a difference to the middle of an object': [
    pack([blob(base), onBase(delta(14, 'x'), blob(base).length - 3)]),
    damaged,
  ],
  'has differences that lean on each other': [
    pack([
      entry('to id', delta(1, 'a'), { base: Buffer.from(idOf('blob', Buffer.from('b')), 'hex') }),
      entry('to id', delta(1, 'b'), { base: Buffer.from(idOf('blob', Buffer.from('a')), 'hex') }),
    ]),
    missing,
  ],
  'has a difference to an object that is nowhere': [
    pack([entry('to id', delta(1, 'a'), { base: Buffer.alloc(20, 1) })]),
    missing,
  ],
  'has a difference for another base': [pack([blob(base), onBase(delta(13, 'x'), blob(base).length)]), damaged],
  'has a difference that announces a gigabyte': [
    pack([blob(base), onBase(delta(14, 'x', 2 ** 30), blob(base).length)]),
    tooLarge,
  ],
  'has a difference that gives less than it announces': [
    pack([blob(base), onBase(delta(14, 'x', 2), blob(base).length)]),
    damaged,
  ],
  'has a difference that copies from beyond its base': [
    pack([blob(base), onBase(Buffer.concat([sizeOf(14), sizeOf(9), Buffer.from([0x91, 10, 9])]), blob(base).length)]),
    damaged,
  ],
  'has a difference that ends in its head': [
    pack([blob(base), onBase(Buffer.from([0x8e]), blob(base).length)]),
    damaged,
  ],
  'has too many deltas': [pack(chain(packLimits.deltaDepth + 1)), tooLarge],
  'has too many deltas, the last one first': [pack(reversed(packLimits.deltaDepth + 1)), tooLarge],
}

test.each(Object.entries(faults))('a pack that %s is refused', async (_, [bytes, expected]) => {
  expect(await errorOf(index(bytes))).toMatchObject(expected)
  expect(readdirSync(directory)).toEqual(['a.pack'])
})

test.each(['', 'rubbish'])('a commit that holds %j is not well formed', async (text) => {
  const id = idOf('commit', Buffer.from(text))
  await index(pack([entry('commit', Buffer.from(text))]))
  const error = await errorOf(rootTreeId(id, new PackedObjects([join(directory, 'a.pack')]), 'REMOTE'))
  expect(error.message).toBe(`The commit ${id} of REMOTE is malformed.`)
})

test.each([
  ['by distance', chain],
  ['by id, the last one first', reversed],
])('as many deltas as are allowed are read, %s', async (_, entries) => {
  await index(pack(entries(packLimits.deltaDepth)))
  const objects = new PackedObjects([join(directory, 'a.pack')])
  for (const text of [base, 'number 0', `number ${packLimits.deltaDepth - 1}`]) {
    expect((await objects.read(idOf('blob', Buffer.from(text)))).bytes.toString()).toBe(text)
    expect(await objects.size(idOf('blob', Buffer.from(text)))).toBe(text.length)
  }
})

test('a thin pack uses existing objects as bases, also through its own deltas in any order', async () => {
  await index(pack([blob(base)]), { name: 'first' })
  const one = entry('to id', delta(14, 'one'), { base: Buffer.from(baseId, 'hex') })
  const two = entry('to id', delta(3, 'two'), { base: Buffer.from(idOf('blob', Buffer.from('one')), 'hex') })
  const bases = new PackedObjects([join(directory, 'first.pack')])
  await index(pack([two, one]), { bases })
  const both = new PackedObjects([join(directory, 'first.pack'), join(directory, 'a.pack')])
  expect((await both.read(idOf('blob', Buffer.from('two')))).bytes.toString()).toBe('two')
  expect(
    await errorOf(new PackedObjects([join(directory, 'a.pack')]).read(idOf('blob', Buffer.from('two')))),
  ).toMatchObject(missing)
})

describe('a delta of a file that is too large to stay in memory', () => {
  const packBytes = 4 * MIB
  const large = Buffer.alloc(5 * MIB, 'a line of a large file\n')
  const larger = Buffer.concat([large, large, large, large])
  const copyAll = Buffer.from([0xf0, large.length & 255, (large.length >> 8) & 255, large.length >> 16])
  const fourTimes = Buffer.concat([sizeOf(large.length), sizeOf(larger.length), copyAll, copyAll, copyAll, copyAll])
  const itsBeginning = Buffer.concat([sizeOf(larger.length), sizeOf(6), Buffer.from([0x90, 6])])
  const onId = (content: Buffer, on: Buffer): Buffer =>
    entry('to id', content, { base: Buffer.from(idOf('blob', on), 'hex') })

  async function expectRead(packs: readonly string[]): Promise<void> {
    const objects = new PackedObjects(packs.map((name) => join(directory, `${name}.pack`)))
    expect((await objects.read(idOf('blob', larger))).bytes.equals(larger)).toBe(true)
    expect((await objects.read(idOf('blob', Buffer.from('a line')))).bytes.toString()).toBe('a line')
  }

  test('is resolved again from the start of its chain', async () => {
    const first = entry('blob', large)
    const second = onBase(fourTimes, first.length)
    await index(pack([first, second, onBase(itsBeginning, second.length)]), { packBytes })
    await expectRead(['a'])
  })

  test('is resolved also if the chain starts in another pack', async () => {
    await index(pack([entry('blob', large)]), { name: 'first', packBytes })
    const bases = new PackedObjects([join(directory, 'first.pack')])
    await index(pack([onId(itsBeginning, larger), onId(fourTimes, large)]), { bases, packBytes })
    await expectRead(['first', 'a'])
  })

  test('is resolved at the end of a chain of which nothing stayed in memory', async () => {
    const first = entry('blob', large)
    const second = onBase(fourTimes, first.length)
    const same = Buffer.concat([larger, Buffer.from('.')])
    const oneMore = Buffer.concat([
      sizeOf(larger.length),
      sizeOf(same.length),
      ...[0, 1, 2, 3].map((quarter) => {
        const at = quarter * large.length
        return Buffer.from([0xf7, at & 255, (at >> 8) & 255, at >> 16, ...copyAll.subarray(1)])
      }),
      Buffer.from([1, 46]),
    ])
    const third = onBase(oneMore, second.length)
    const last = Buffer.concat([sizeOf(same.length), sizeOf(6), Buffer.from([0x90, 6])])
    await index(pack([first, second, third, onBase(last, third.length)]), { packBytes: 8 * MIB })
    await expectRead(['a'])
  })
})

test('packs that lead round in a circle are damaged, not read for ever', async () => {
  const ids = ['a', 'b'].map((text) => Buffer.from(idOf('blob', Buffer.from(text)), 'hex'))
  await index(pack([blob('a')]), { name: 'whole-a' })
  await index(pack([blob('b')]), { name: 'whole-b' })
  const at = (name: string): string => join(directory, `${name}.pack`)
  await index(pack([entry('to id', delta(1, 'b'), { base: ids[0]! })]), {
    name: 'b-of-a',
    bases: new PackedObjects([at('whole-a')]),
  })
  await index(pack([entry('to id', delta(1, 'a'), { base: ids[1]! })]), {
    name: 'a-of-b',
    bases: new PackedObjects([at('whole-b')]),
  })
  const circle = new PackedObjects([at('b-of-a'), at('a-of-b')])
  expect(await errorOf(circle.read(ids[0]!.toString('hex')))).toMatchObject(missing)
})

test('indexing yields to other work, and ends when the signal aborts', async () => {
  const bytes = pack(Array.from({ length: 20_000 }, (_, at) => blob(`number ${at}`)))
  const stop = new AbortController()
  const going = errorOf(index(bytes, { signal: stop.signal }))
  await pause(1)
  stop.abort(new Error('no longer wanted'))
  expect((await going).message).toBe('no longer wanted')
})

describe('what git packs', () => {
  const world = useGitWorld()

  test.each([
    ['by distance', ['--delta-base-offset']],
    ['by id', ['--no-delta-base-offset']],
    ['with long chains', ['--delta-base-offset', '--depth=250', '--window=50']],
  ])('is indexed byte for byte as git does it, with differences %s', async (_, options) => {
    const { repository } = world()
    let text = Array.from({ length: 400 }, (_unused, at) => `line ${at} ${Math.sin(at)}\n`).join('')
    for (let round = 0; round < 60; round++) {
      text = text.replace(`line ${round * 5} `, `changed in round ${round} `)
      await repository.commit({
        files: { 'a.yaml': text, [`d${round % 7}/f${round}`]: `${round}` },
        tags: [`v${round}`],
      })
    }
    await repository.tag('signed', 'main', { annotated: true })
    const byDistance = String(options.includes('--delta-base-offset'))
    const depth = options.filter((one) => !one.endsWith('base-offset'))
    await repository.git('-c', `repack.useDeltaBaseOffset=${byDistance}`, 'repack', '-a', '-d', '-f', ...depth)
    const folder = join(repository.directory, 'objects', 'pack')
    const name = readdirSync(folder).find((one) => one.endsWith('.pack'))!
    const git = readFileSync(join(folder, name.replace(/pack$/, 'idx')))
    await index(readFileSync(join(folder, name)))
    expect(readFileSync(join(directory, 'a.idx')).equals(git)).toBe(true)
  })

  test('is read to the last byte also where a file is larger than what is unpacked at once', async () => {
    const { repository, source, remote } = world()
    const large = Buffer.from(Array.from({ length: 800_000 }, (_, at) => `${(at * 7919) % 65_537}\n`).join(''))
    expect(large.length).toBeGreaterThan(4 * MIB)
    const commit = await repository.commit({ files: { 'large.txt': large, 'a.yaml': 'a: 1' } })
    await source.fetch(remote, sha1(commit), never)
    expect(await source.files(remote, sha1(commit), '', (path) => path === 'a.yaml', never)).toHaveLength(1)
    expect(await errorOf(source.files(remote, sha1(commit), 'large.txt', () => true, never))).toMatchObject({
      code: 'source/file-too-large',
    })
  })
})
