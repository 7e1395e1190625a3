import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { limitsDocument, type LimitNote } from '../src/config/limits.js'
import { readConfiguration } from '../src/config/config.js'
import { packageLimits } from '../src/package/package.js'
import { limitsPage } from './limits-page.js'
import { platforms } from '../src/platforms.js'

test('docs/reference/limits.md matches the schema and the code (npm run docs:limits writes it)', async () => {
  await expect(limitsPage()).toMatchFileSnapshot('../docs/reference/limits.md')
})

test('every limit says what it bounds and what happens beyond it', () => {
  for (const [key, schema] of Object.entries(limitsDocument.shape)) {
    const { bounds, beyond } = schema.meta() as unknown as LimitNote
    expect([key, bounds, beyond]).toEqual([key, expect.stringMatching(/^[A-Z].*\.$/), expect.stringMatching(/\.$/)])
  }
})

test('config/gitmoor.yaml shows every limit with its default', () => {
  const { limits } = parse(readFileSync('config/gitmoor.yaml', 'utf8')) as {
    readonly limits: Readonly<Record<string, unknown>>
  }
  expect(Object.keys(limits)).toEqual(Object.keys(limitsDocument.shape))
  expect(limitsDocument.parse(limits)).toEqual(limitsDocument.parse({}))
})

test('a package that is checked offline has the limits that an agent has by default', () => {
  const { limits } = readConfiguration(undefined, { platforms }).value!
  expect({ documents: packageLimits.documents, bytes: packageLimits.bytes }).toEqual({
    documents: limits.documents,
    bytes: limits.totalBytes,
  })
})
