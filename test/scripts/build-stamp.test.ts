import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'

const { inputDigest, isFresh, writeStamp } = (await import(pathToFileURL(resolve('scripts/build-stamp.mjs')).href)) as {
  readonly inputDigest: (root: string) => string
  readonly isFresh: (root: string) => boolean
  readonly writeStamp: (input: string, root: string) => void
}

let root: string
const at = (path: string): string => join(root, path)
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'gitmoor-stamp-'))
  for (const directory of ['src/lib', 'scripts', 'node_modules', 'dist']) mkdirSync(at(directory), { recursive: true })
  for (const file of ['src/main.ts', 'src/lib/clock.ts', 'src/lib/locks.ts', 'scripts/build.mjs', 'tsconfig.json'])
    writeFileSync(at(file), `// ${file}\n`)
  for (const file of ['package.json', 'package-lock.json', 'node_modules/.package-lock.json', 'dist/main.js'])
    writeFileSync(at(file), '{}\n')
  writeFileSync(at('dist/chunk.js'), '// chunk\n')
  writeStamp(inputDigest(root), root)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

test('a build is fresh while nothing changes, regardless of file dates', () => {
  expect(isFresh(root)).toBe(true)
  utimesSync(at('src/main.ts'), new Date(), new Date())
  utimesSync(at('dist/main.js'), 0, 0)
  expect(isFresh(root)).toBe(true)
})

/** Leaves a file with a date of long ago, as a restored or unpacked file has. */
function writeOld(path: string, text: string): void {
  writeFileSync(at(path), text)
  utimesSync(at(path), 0, 0)
}

test.each<readonly [string, () => void]>([
  ['a source has other contents', () => writeOld('src/lib/clock.ts', '// older\n')],
  ['a source is new', () => writeOld('src/lib/new.ts', '')],
  ['a source is removed', () => rmSync(at('src/lib/locks.ts'))],
  ['a source has another name', () => renameSync(at('src/lib/locks.ts'), at('src/lib/mutex.ts'))],
  ['two sources are exchanged', () => exchange('src/lib/clock.ts', 'src/lib/locks.ts')],
  ['the build script changes', () => writeOld('scripts/build.mjs', '// other\n')],
  ['the settings of the compiler change', () => writeOld('tsconfig.json', '{ }\n')],
  ['settings of the compiler are added', () => writeOld('tsconfig.build.json', '{}\n')],
  ['the lock file changes', () => writeOld('package-lock.json', '{ }\n')],
  ['other packages are installed', () => writeOld('node_modules/.package-lock.json', '{ }\n')],
  ['the program is removed', () => rmSync(at('dist/main.js'))],
  ['a part of the program is damaged', () => writeOld('dist/chunk.js', '')],
  ['something else is in dist', () => writeOld('dist/other.js', '')],
  ['dist is removed', () => rmSync(at('dist'), { recursive: true })],
])('a build is stale if %s', (_, change) => {
  change()
  expect(isFresh(root)).toBe(false)
})

function exchange(one: string, other: string): void {
  copyFileSync(at(one), at('kept'))
  renameSync(at(other), at(one))
  renameSync(at('kept'), at(other))
}

test('a build is stale if a source changed while it ran', () => {
  const input = inputDigest(root)
  writeOld('src/main.ts', '// edited\n')
  writeStamp(input, root)
  expect(isFresh(root)).toBe(false)
})
