import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDataDirectory } from '../../src/agent/data-directory.js'
import { describeError } from '../../src/model/errors.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gitmoor-data-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function failing(directory: string): string {
  try {
    openDataDirectory(directory)
  } catch (error) {
    return describeError(error)
  }
  throw new Error('It could be used.')
}

test('it is made with all folders above it, for its owner only', () => {
  openDataDirectory(join(root, 'a', 'b'))
  expect([join(root, 'a'), join(root, 'a', 'b')].map((folder) => statSync(folder).mode & 0o777)).toEqual([0o700, 0o700])
})

test('where something else stands, that is said once, and it is left as it is', () => {
  const file = join(root, 'file')
  writeFileSync(file, 'x', { mode: 0o644 })
  expect(failing(file)).toBe(`The data directory ${file} cannot be used: it is no directory`)
  expect(failing(join(file, 'below')).match(/ENOTDIR/g)).toHaveLength(1)
  expect(statSync(file).mode & 0o777).toBe(0o644)
})

test('where nothing can be made it ends at once', () => {
  expect(failing('/proc/gitmoor/data').match(/ENOENT/g)).toHaveLength(1)
})
