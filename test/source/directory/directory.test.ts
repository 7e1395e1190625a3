// A folder of this machine: what is read of it, what is refused, and how changes become known.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Worker } from 'node:worker_threads'
import { ignoreFile, isPackageFile, packageFileFilter } from '../../../src/package/package-files.js'
import type { Clock } from '../../../src/lib/clock.js'
import { DirectorySource, type DirectorySourceOptions } from '../../../src/source/directory/directory-source.js'
import type { SourceRevision } from '../../../src/source/source.js'
import { readFileAt, stampFile } from '../../../src/source/directory/walk-directory.js'
import { settled, until } from '../../e2e/until.js'
import { gitEnvironment } from '../../git-server.js'
import { ManualClock } from '../../manual-clock.js'
import { errorOf, LIMITS, never } from '../git-world.js'

let root: string
let directory: string
let source: DirectorySource
let watches: Disposable[] = []

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-directory-')))
  directory = join(root, 'boards')
  mkdirSync(directory)
  source = open()
})
afterEach(() => {
  for (const watch of watches) watch[Symbol.dispose]()
  watches = []
  rmSync(root, { recursive: true, force: true })
})

function open(options: Partial<DirectorySourceOptions> = {}): DirectorySource {
  return new DirectorySource({
    limits: LIMITS,
    allow: { directories: [{ path: root }] },
    dataDirectory: join(root, 'data'),
    packageFiles: { ignoreFile, isPackageFile, isPackageFileBut: packageFileFilter },
    ...options,
  })
}
function write(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}
const remote = (): string => `directory:${directory}`
const stateNow = async (at = source): Promise<string> =>
  ((await at.poll(remote(), [''], never)).get('') as SourceRevision).state
const refusal = (at = source): Promise<Error> => errorOf(at.poll(remote(), [''], never))

test('its package files are read by byte order of their paths; .git, node_modules and hidden folders are not', async () => {
  for (const path of [
    'b/a.yml',
    'b.yml',
    'a.json',
    'README.md',
    '.git/x.yml',
    'node_modules/x/package.json',
    '.hidden/x.yml',
    '.gitmoorignore',
  ])
    write(path, 'a')
  const files = await source.files(remote(), await stateNow(), '', isPackageFile, never)
  expect(files.map(({ path }) => path)).toEqual(['.gitmoorignore', 'a.json', 'b.yml', 'b/a.yml'])
})

test('other files do not change its revision', async () => {
  write('a.yml', 'a: 1')
  const state = await stateNow()
  write('README.md', 'x')
  write('.git/index', 'x')
  expect(await stateNow()).toBe(state)
})

test('a change that keeps size and time of modification is seen', async () => {
  write('a.yml', 'a: 1')
  const { atime, mtime } = statSync(join(directory, 'a.yml'))
  const state = await stateNow()
  write('a.yml', 'a: 2')
  utimesSync(join(directory, 'a.yml'), atime, mtime)
  expect(await stateNow()).not.toBe(state)
})

test('files unchanged since the last poll are not read again', async () => {
  write('a.yml', 'a: 1')
  // A file that was written just now is read again: its stamp could hide a second change.
  const settled = await until('the stamp holds', async () => {
    const one = await stampFile(directory, 'a.yml', undefined, LIMITS)
    return one.stamp.startsWith(' ') ? one : undefined
  })
  const marked = { ...settled, id: 'as it was known' }
  expect(await stampFile(directory, 'a.yml', marked, LIMITS)).toBe(marked)
  write('a.yml', 'a: 2')
  expect((await stampFile(directory, 'a.yml', marked, LIMITS)).id).toMatch(/^[0-9a-f]{40}$/)
})

test('a folder that is a link while a file is opened, and none before and after, never leads outside', async () => {
  const [inside, outside, kept] = [join(directory, 'team'), join(root, 'outside'), join(root, 'kept')]
  for (const folder of [inside, outside]) mkdirSync(folder)
  write('team/a.yml', 'inside')
  writeFileSync(join(outside, 'a.yml'), 'outside')
  const swap = `const fs = require('fs'), { inside, outside, kept } = require('worker_threads').workerData
    for (;;) { fs.renameSync(inside, kept); fs.symlinkSync(outside, inside); fs.rmSync(inside); fs.renameSync(kept, inside) }`
  const worker = new Worker(swap, { eval: true, workerData: { inside, outside, kept } })
  const seen = new Set<string>()
  for (let attempt = 0; attempt < 1_500; attempt++) {
    const read = readFileAt(directory, 'team/a.yml', LIMITS)
    seen.add(
      await read.then(
        ({ bytes }) => Buffer.from(bytes).toString(),
        (error: Error) => error.name,
      ),
    )
  }
  await worker.terminate()
  expect(seen).not.toContain('outside')
})

describe('refused', () => {
  test('a directory outside allow.directories, in the data directory, or that leads there', () => {
    const at = open({ allow: { directories: [{ path: directory }] } })
    const remoteOf = (path: string) => () => at.remoteOf({ kind: 'directory', directory: path })
    expect(remoteOf(root)).toThrow('not below a directory of allow.directories')
    symlinkSync('/etc', join(directory, 'out'))
    expect(remoteOf(join(directory, 'out'))).toThrow('not below a directory of allow.directories')
    mkdirSync(join(root, 'data'))
    expect(() => source.remoteOf({ kind: 'directory', directory: join(root, 'data') })).toThrow(
      "gitmoor's own data directory",
    )
  })

  test('a directory that became a link to elsewhere since', async () => {
    write('a.yml', 'a: 1')
    await stateNow()
    renameSync(directory, join(root, 'moved'))
    symlinkSync('/etc', directory)
    expect(await refusal()).toMatchObject({ code: 'source/directory-not-allowed' })
    rmSync(directory)
    symlinkSync(join(root, 'moved'), directory)
    expect(await refusal()).toMatchObject({ code: 'source/directory-missing' })
  })

  test('a symbolic link where a package file would be; elsewhere it is passed by', async () => {
    write('a.yml', 'a: 1')
    symlinkSync('/etc', join(directory, 'etc'))
    const state = await stateNow()
    symlinkSync('/etc/hostname', join(directory, 'b.yml'))
    expect(await refusal()).toMatchObject({ name: 'Rejected', code: 'source/symbolic-link', path: 'b.yml' })
    rmSync(join(directory, 'b.yml'))
    expect(await stateNow()).toBe(state)
  })

  test('a link that .gitmoorignore ignores is accepted, and ignored files do not change the state', async () => {
    write('a.yml', 'a: 1')
    write('.gitmoorignore', 'skip/\n')
    const state = await stateNow()
    write('skip/b.yml', 'b: 1')
    symlinkSync('/etc/hostname', join(directory, 'skip/c.yml'))
    expect(await stateNow()).toBe(state)
    write('.gitmoorignore', '')
    expect(await refusal()).toMatchObject({ code: 'source/symbolic-link' })
  })

  test('two names that are one on some file systems', async () => {
    write('a.yml', '1')
    write('A.yml', '2')
    expect(await refusal()).toMatchObject({ code: 'source/unsafe-tree' })
  })

  test.each([
    ['more files than limits.files', { files: 1 }, 'source/too-many-files'],
    ['a file larger than limits.fileBytes', { fileBytes: 3 }, 'source/file-too-large'],
    ['files larger than limits.totalBytes', { totalBytes: 6 }, 'source/files-too-large'],
    ['folders deeper than limits.depth', { depth: 1 }, 'source/too-deep'],
  ])('%s', async (_, limits, code) => {
    write('a.yml', 'a: 1')
    write('b/c/d.yml', 'a: 2')
    expect(await refusal(open({ limits: { ...LIMITS, ...limits } }))).toMatchObject({ name: 'Rejected', code })
  })

  test('a pipe with the name of a package file; elsewhere it is passed by', async () => {
    write('a.yml', 'a: 1')
    execFileSync('mkfifo', [join(directory, 'pipe')])
    const state = await stateNow()
    execFileSync('mkfifo', [join(directory, 'pipe.yml')])
    expect(await refusal()).toMatchObject({
      name: 'Rejected',
      code: 'source/irregular-file',
      path: 'pipe.yml',
      message: '"pipe.yml" is a pipe: gitmoor reads only regular files.',
    })
    expect(await errorOf(source.files(remote(), state, '', isPackageFile, never))).toMatchObject({
      code: 'source/irregular-file',
    })
    write('.gitmoorignore', 'pipe.yml\n')
    expect(await stateNow()).not.toBe(state)
  })

  test('a socket with the name of a package file', async () => {
    const server = createServer().listen(join(directory, 'socket.yml'))
    await once(server, 'listening')
    try {
      expect(await refusal()).toMatchObject({
        code: 'source/irregular-file',
        message: expect.stringContaining('is a socket') as string,
      })
    } finally {
      server.close()
    }
  })

  test.each([
    ['pipe', (path: string) => void execFileSync('mkfifo', [path])],
    ['folder', (path: string) => mkdirSync(path)],
  ])('a .gitmoorignore that is a %s', async (kind, make) => {
    make(join(directory, '.gitmoorignore'))
    expect(await refusal()).toMatchObject({
      code: 'source/irregular-file',
      message: expect.stringContaining(`is a ${kind}`) as string,
    })
  })
})

test('a directory that is gone is unavailable, not empty', async () => {
  write('a.yml', 'a: 1')
  const state = await stateNow()
  rmSync(directory, { recursive: true })
  expect(await refusal()).toMatchObject({ name: 'Unavailable', code: 'source/directory-missing' })
  write('a.yml', 'a: 1')
  expect(await stateNow()).toBe(state)
})

test('reading fails if the files changed since the poll', async () => {
  write('a.yml', 'a: 1')
  const state = await stateNow()
  write('a.yml', 'a: 2')
  const readings = [
    () => source.fetch(remote(), state, never),
    () => source.files(remote(), state, '', isPackageFile, never),
  ]
  for (const read of readings)
    expect(await errorOf(read())).toMatchObject({ name: 'Unavailable', code: 'source/changed-meanwhile' })
})

test('while git is working in the tree, a poll waits, at most two seconds', async () => {
  write('a.yml', 'a: 1')
  write('.git/index.lock', '')
  let waitedMs = 0
  const clock: Clock = {
    now: () => Date.now(),
    elapsed: () => waitedMs,
    sleep: async (ms) => {
      waitedMs += ms
      if (waitedMs !== 1_000) return
      write('a.yml', 'a: 2')
      rmSync(join(directory, '.git/index.lock'))
    },
  }
  const at = open({ clock })
  const state = await stateNow(at)
  expect([state, waitedMs]).toEqual([await stateNow(), 1_000])
  write('.git/index.lock', '')
  expect(await stateNow(at)).toBe(state)
  expect(waitedMs).toBe(1_000 + 3 * 2_000) // it tries three times
})

describe('a directory that is watched', () => {
  /** Changes are reported when there were no others for so long. */
  const quietMs = 300

  interface Heard {
    changes: number
    errors: unknown[]
    readonly clock: ManualClock
  }
  async function watch(): Promise<Heard> {
    const heard: Heard = { changes: 0, errors: [], clock: new ManualClock() }
    let ready = (): void => {}
    const isReady = new Promise<void>((resolve) => (ready = resolve))
    const watching = {
      onChange: () => void heard.changes++,
      onError: (error: unknown) => void heard.errors.push(error),
      onReady: () => ready(),
    }
    source = open({ clock: heard.clock })
    watches.push(source.watch(remote(), watching))
    await isReady
    return heard
  }
  /** Until a change is reported, the folder being quiet all the time. */
  const heardOnce = (heard: Heard): Promise<true> =>
    until('a change is reported', () => {
      heard.clock.advance(quietMs)
      return heard.changes > 0
    })
  /** Longer than the system takes to report a change to a watch. */
  async function heardNothing(heard: Heard): Promise<void> {
    await pause(250)
    heard.clock.advance(quietMs)
    await settled()
    expect(heard.changes).toBe(0)
  }

  test('reports a file that is written, renamed into place, or removed', async () => {
    write('a.yml', 'a: 1')
    const heard = await watch()
    const reported = async (change: () => void): Promise<void> => {
      change()
      await heardOnce(heard)
      await pause(120) // what else the system reports of it
      heard.clock.advance(quietMs)
      await settled()
      heard.changes = 0
    }
    await reported(() => write('a.yml', 'a: 2'))
    await reported(() => {
      writeFileSync(join(directory, '.a.yml.swp'), 'a: 3')
      renameSync(join(directory, '.a.yml.swp'), join(directory, 'a.yml'))
    })
    await reported(() => write('new/folder/b.yml', 'b: 1'))
    await reported(() => rmSync(join(directory, 'a.yml')))
  })

  test('reports many changes once', async () => {
    const heard = await watch()
    for (let n = 0; n < 300; n++) write(`f${n % 7}/file-${n}.yml`, `n: ${n}`)
    await until('a change is reported', async () => {
      await pause(10)
      heard.clock.advance(10)
      return heard.changes > 0
    })
    expect(heard.changes).toBe(1)
    heard.changes = 0
    await heardNothing(heard)
  })

  test('does not report .git, node_modules, or other files', async () => {
    write('.git/HEAD', 'x')
    write('node_modules/a/package.json', '{}')
    const heard = await watch()
    write('.git/HEAD', 'y')
    write('.git/refs/heads/main', 'y')
    write('node_modules/a/package.json', '[]')
    write('README.md', 'y')
    await heardNothing(heard)
  })

  test('is watched again after a poll that found it again', async () => {
    write('a.yml', 'a: 1')
    const heard = await watch()
    rmSync(directory, { recursive: true })
    await heardOnce(heard)
    await refusal()
    write('a.yml', 'a: 1')
    await stateNow()
    heard.changes = 0
    await until('it is watched', async () => {
      write('a.yml', `a: ${Math.random()}`)
      await pause(50)
      heard.clock.advance(quietMs)
      return heard.changes > 0
    })
  })

  test('is not watched after the watch was disposed', async () => {
    const heard = await watch()
    watches.pop()![Symbol.dispose]()
    write('a.yml', 'a: 1')
    await heardNothing(heard)
  })
})

test('a git work tree is at the state of what is checked out', async () => {
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', args, { cwd: directory, env: gitEnvironment(), stdio: 'pipe' })
  git('init', '--quiet', '--initial-branch=main')
  write('a.yml', 'a: 1')
  git('add', '.')
  git('commit', '--quiet', '-m', 'one')
  const one = await stateNow()
  git('checkout', '--quiet', '-b', 'other')
  expect(await stateNow()).toBe(one)
  write('b.yml', 'b: 1')
  git('add', '.')
  git('commit', '--quiet', '-m', 'two')
  expect(await stateNow()).not.toBe(one)
  git('checkout', '--quiet', 'main')
  expect(await stateNow()).toBe(one)
  expect(existsSync(join(directory, '.git', 'index.lock'))).toBe(false)
})
