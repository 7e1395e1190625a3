// What exists under the name of a file to write, and is no regular file, is not replaced.
import { execFileSync } from 'node:child_process'
import {
  createReadStream,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backupTarget } from '../../../src/cli/files/backup-file.js'
import { writePlanFile } from '../../../src/cli/files/plan-file.js'
import { samplePlan } from '../../api/sample-views.js'

let directory: string
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'gitmoor-output-'))))
afterEach(() => rmSync(directory, { recursive: true }))

test('a plan is written behind a symbolic link, in place of what is there', async () => {
  writeFileSync(join(directory, 'file'), 'old')
  symlinkSync('file', join(directory, 'link'))
  await writePlanFile('link', directory, samplePlan)
  expect(lstatSync(join(directory, 'link')).isSymbolicLink()).toBe(true)
  expect(JSON.parse(readFileSync(join(directory, 'file'), 'utf8'))).toMatchObject({ gitmoor: 'plan' })
  expect(readdirSync(directory).sort()).toEqual(['file', 'link'])
})

test('a pipe gets the plan', async () => {
  execFileSync('mkfifo', [join(directory, 'pipe')])
  const read = text(createReadStream(join(directory, 'pipe')))
  await writePlanFile('pipe', directory, samplePlan)
  expect(JSON.parse(await read)).toMatchObject({ gitmoor: 'plan' })
  expect(lstatSync(join(directory, 'pipe')).isFIFO()).toBe(true)
})

test('a backup is refused in place of a device or a pipe, and goes behind a symbolic link', async () => {
  execFileSync('mkfifo', [join(directory, 'pipe')])
  writeFileSync(join(directory, 'file'), 'old')
  symlinkSync('file', join(directory, 'link'))
  for (const path of ['pipe', '/dev/null'])
    await expect(backupTarget(path, directory, true)).rejects.toMatchObject({ code: 'cli/irregular-file' })
  await expect(backupTarget('link', directory, false)).rejects.toMatchObject({ code: 'cli/file-exists' })
  expect(await backupTarget('link', directory, true)).toMatch(/\/file$/)
  expect(await backupTarget('new', directory, false)).toBe(join(directory, 'new'))
})
