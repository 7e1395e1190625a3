import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { blobId, blobIdSteps } from '../../src/source/blob-id.js'

test('is the id that git gives to a file', () => {
  expect(blobId(Buffer.alloc(0))).toBe('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391')
  expect(blobId(Buffer.from('hello\n'))).toBe('ce013625030ba8dba906f756967f9e9ca394464a')
})

test('a large file is hashed in many steps', () => {
  const bytes = Buffer.alloc(8 * 2 ** 20 + 3, 'moor')
  const steps = blobIdSteps(bytes)
  let count = 0
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) count++
  expect(count).toBe(8)
  expect(step.value).toBe(createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'))
})
