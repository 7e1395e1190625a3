// What a server may send beside a pack: little, or it is refused.
import { expect, test } from 'vitest'
import { packLimits } from '../../../../src/source/git/pack/pack-limits.js'
import { readPack } from '../../../../src/source/git/protocol/fetch-pack.js'
import { errorOf } from '../../git-world.js'

function packet(bytes: Buffer | string): Buffer {
  const body = Buffer.from(bytes)
  return Buffer.concat([Buffer.from((body.length + 4).toString(16).padStart(4, '0')), body])
}

const begin = packet('packfile\n')
const progress = packet(`\u0002${'.'.repeat(60_000)}`)
const oneByte = packet('\u0001x')
const manyPieces = Buffer.concat(Array.from({ length: 5_000 }, () => oneByte))

/** Without end; counts what is read of it. */
function endless(first: Buffer, piece: Buffer, counted: { bytes: number }): AsyncIterable<Uint8Array> {
  return (async function* () {
    yield first
    for (;;) {
      counted.bytes += piece.length
      yield piece
    }
  })()
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const piece of readPack(chunks, 'REMOTE')) bytes += piece.length
  return bytes
}

test.each([
  ['progress messages', begin, progress],
  ['empty packets before the pack', Buffer.alloc(0), Buffer.from('0004'.repeat(10_000))],
  ['empty pieces of the pack', begin, Buffer.from('0005\u0001'.repeat(10_000))],
  ['pieces of one byte', begin, manyPieces],
])('an answer of endless %s is refused', async (_, first, piece) => {
  const counted = { bytes: 0 }
  expect(await errorOf(read(endless(first, piece, counted)))).toMatchObject({
    name: 'Rejected',
    code: 'source/pack-too-large',
  })
  expect(counted.bytes).toBeLessThan(3 * packLimits.overheadBytes)
})

test('a pack in pieces of a thousand bytes, with some progress between, is read', async () => {
  const piece = packet(`\u0001${'x'.repeat(994)}`)
  const some = Buffer.concat([...Array.from({ length: 10_000 }, () => piece), packet('\u0002done\n')])
  const answer = (async function* () {
    yield begin
    yield some
    yield Buffer.from('0000')
  })()
  expect(await read(answer)).toBe(9_940_000)
})
