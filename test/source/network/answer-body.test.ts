import { expect, test } from 'vitest'
import { AnswerBody } from '../../../src/source/network/answer-body.js'

class Told {
  readonly said: string[] = []
  readonly body = new AnswerBody({
    pause: () => void this.said.push('pause'),
    resume: () => void this.said.push('resume'),
    abort: () => void this.said.push('abort'),
  })
}

const kilobytes = (count: number): Uint8Array => new Uint8Array(count * 1024)

async function lengths(body: AnswerBody): Promise<readonly number[]> {
  const read: number[] = []
  for await (const { length } of body) read.push(length)
  return read
}

test('what comes is read in its order, also by one who waited for it, until it ends', async () => {
  const { body, said } = new Told()
  const reading = lengths(body)
  body.push(kilobytes(1))
  body.push(kilobytes(2))
  await Promise.resolve()
  body.push(kilobytes(3))
  body.finish()
  expect(await reading).toEqual([1024, 2048, 3072])
  expect(said).toEqual([])
})

test('what comes next is shown and stays to be read; an answer that is empty has nothing', async () => {
  const { body } = new Told()
  body.push(kilobytes(1))
  expect((await body.peek())?.length).toBe(1024)
  body.finish()
  expect(await lengths(body)).toEqual([1024])
  expect(await body.peek()).toBeUndefined()
})

test('the other side waits while much is not read, and goes on when it is', async () => {
  const { body, said } = new Told()
  body.push(kilobytes(64))
  expect(said).toEqual([])
  body.push(kilobytes(1))
  expect(said).toEqual(['pause'])
  await body.next()
  expect(said).toEqual(['pause', 'resume'])
})

test('what it failed with is thrown after what came before', async () => {
  const { body } = new Told()
  body.push(kilobytes(1))
  body.fail(new Error('cut'))
  expect((await body.next()).value?.length).toBe(1024)
  await expect(body.next()).rejects.toThrow('cut')
})

test('who stops reading ends it, and nothing is kept', async () => {
  const { body, said } = new Told()
  body.push(kilobytes(1))
  for await (const _ of body) break
  body.push(kilobytes(1))
  expect(said).toEqual(['abort'])
  expect(await lengths(body)).toEqual([])
})

test('what has ended is not ended again', () => {
  const { body, said } = new Told()
  body.finish()
  body.destroy()
  expect(said).toEqual([])
})
