import { expect, test } from 'vitest'
import { ResponseBody } from '../../../src/source/network/response-body.js'

class Watched {
  readonly said: string[] = []
  readonly body = new ResponseBody({
    pause: () => void this.said.push('hold'),
    resume: () => void this.said.push('release'),
    abort: () => void this.said.push('abort'),
  })
}

const kilobytes = (count: number): Uint8Array => new Uint8Array(count * 1024)

async function lengths(body: ResponseBody): Promise<readonly number[]> {
  const read: number[] = []
  for await (const { length } of body) read.push(length)
  return read
}

test('what comes is read in its order, also by one who waited for it, until it ends', async () => {
  const { body } = new Watched()
  const reading = lengths(body)
  body.push(kilobytes(40))
  body.push(kilobytes(50))
  await Promise.resolve()
  body.push(kilobytes(60))
  body.finish()
  expect((await reading).map((length) => length / 1024)).toEqual([40, 50, 60])
})

test('chunks of one byte that wait are read as one, in their order', async () => {
  const { body } = new Watched()
  for (let at = 0; at < 100_000; at++) body.push(Uint8Array.of(at % 251))
  body.finish()
  const read: Uint8Array[] = []
  for await (const chunk of body) read.push(chunk)
  expect(read.map(({ length }) => length)).toEqual([65_536, 34_464])
  expect(Buffer.concat(read).every((byte, at) => byte === at % 251)).toBe(true)
})

test('what comes next is shown and stays to be read; an answer that is empty has nothing', async () => {
  const { body } = new Watched()
  body.push(kilobytes(1))
  expect((await body.peek())?.length).toBe(1024)
  body.finish()
  expect(await lengths(body)).toEqual([1024])
  expect(await body.peek()).toBeUndefined()
})

test('the server waits while much is unread, and continues when it is read', async () => {
  const { body, said } = new Watched()
  body.push(kilobytes(64))
  expect(said).toEqual([])
  body.push(kilobytes(1))
  expect(said).toEqual(['hold'])
  await body.next()
  expect(said).toEqual(['hold', 'release'])
})

test('what it failed with is thrown after what came before', async () => {
  const { body } = new Watched()
  body.push(kilobytes(1))
  body.fail(new Error('cut'))
  expect((await body.next()).value?.length).toBe(1024)
  await expect(body.next()).rejects.toThrow('cut')
})

test('who stops reading ends it, and nothing is kept', async () => {
  const { body, said } = new Watched()
  body.push(kilobytes(1))
  for await (const _ of body) break
  body.push(kilobytes(1))
  expect(said).toEqual(['abort'])
  expect(await lengths(body)).toEqual([])
})

test('what has ended is not ended again', () => {
  const { body, said } = new Watched()
  body.finish()
  body.destroy()
  expect(said).toEqual([])
})
