import { expect, test } from 'vitest'
import { checkPack } from '../../src/source/check-pack.js'
import { objectBytes, packOf, withSum } from './pack-bytes.js'

const limits = { remote: 'https://example.com/x', packBytes: 100 }
const blob = (text: string, size?: number) => ({ type: 3, bytes: Buffer.from(text), ...(size === undefined ? {} : { size }) })
const id = Buffer.alloc(20, 7)
/** A difference that says: a base of 5 bytes becomes so many. */
const delta = (...result: readonly number[]): Buffer => Buffer.from([5, ...result])
const head = packOf([], 1).subarray(0, 12)

test.each([
  ['nothing', packOf([]), 0],
  ['objects of any size', packOf([blob('a'), blob('b'.repeat(15)), blob('c'.repeat(300)), blob('')]), 4],
  [
    'differences to an object before, near and far',
    packOf([blob('a'), { type: 6, bytes: delta(9), base: Buffer.from([0x81, 0x82, 3]) }]),
    2,
  ],
  ['differences to an object that is not in the pack', packOf([{ type: 7, bytes: delta(0x90, 1), base: id }]), 1],
])('a pack of %s is counted', async (_, pack, count) => {
  expect(await checkPack(pack, limits)).toBe(count)
})

test.each([
  ['that begins otherwise', withSum(Buffer.from('PUCK\0\0\0\x02\0\0\0\0'))],
  ['of another version', withSum(Buffer.from('PACK\0\0\0\x03\0\0\0\0'))],
  ['with fewer objects than announced', packOf([blob('a')], 2)],
  ['with more than was announced', packOf([blob('a'), blob('b')], 1)],
  ['with a byte too many', withSum(Buffer.concat([packOf([blob('a')]).subarray(0, -20), Buffer.from('x')]))],
  ['with an object of no type', packOf([{ type: 0, bytes: Buffer.from('a') }])],
  ['with an object of a type that there is not', packOf([{ type: 5, bytes: Buffer.from('a') }])],
  ['with an object smaller than it says', packOf([blob('a', 2)])],
  ['with an object larger than it says', packOf([blob('abc', 2)])],
  ['with bytes that cannot be unpacked', withSum(Buffer.concat([head, Buffer.from([0x31]), Buffer.from('not packed')]))],
  ['with an object that ends in its header', Buffer.concat([head, Buffer.from([0xb1]), Buffer.alloc(20, 255)])],
  ['with a difference that ends before what it leans on', Buffer.concat([head, Buffer.from([0x61]), Buffer.alloc(20, 255)])],
  ['with a difference that says no size', packOf([{ type: 7, bytes: Buffer.from([5, 0x80]), base: id }])],
  ['cut after its head', head],
])('a pack %s is damaged', async (_, pack) => {
  await expect(checkPack(pack, limits)).rejects.toMatchObject({ name: 'Unavailable', code: 'source/damaged' })
})

test('what is announced, and what differences make, counts together, up to 8 times limits.packBytes', async () => {
  const past = { name: 'Rejected', code: 'source/pack-too-large', message: expect.stringContaining('more than 800 bytes') as string }
  const difference = { type: 7, bytes: delta(0x80, 6), base: id }
  expect(await checkPack(packOf([blob('x'.repeat(800))]), limits)).toBe(1)
  await expect(checkPack(packOf([blob('x'.repeat(801))]), limits)).rejects.toMatchObject(past)
  expect(await checkPack(packOf([difference, blob('x'.repeat(29))]), limits)).toBe(2)
  await expect(checkPack(packOf([difference, blob('x'.repeat(30))]), limits)).rejects.toMatchObject(past)
  await expect(checkPack(packOf([blob('x'.repeat(30)), difference]), limits)).rejects.toMatchObject(past)
})

test('a pack of very many objects lets others have their turn', async () => {
  let turns = 0
  const ticking = setInterval(() => turns++, 0)
  const one = objectBytes(blob(''))
  const many = Buffer.concat([packOf([], 4000).subarray(0, 12), ...Array.from({ length: 4000 }, () => one)])
  expect(await checkPack(withSum(many), limits)).toBe(4000)
  clearInterval(ticking)
  expect(turns).toBeGreaterThan(0)
})
