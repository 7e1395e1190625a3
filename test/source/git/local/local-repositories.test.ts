// Repositories below allow.directories belong to people who decide what is in them, never what the agent runs or reads
// elsewhere.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Promotion } from '../../../../src/source/ref-tips.js'
import { git } from '../../../git-server.js'
import { errorOf, LIMITS, never, sha1, useGitWorld } from '../../git-world.js'
import { cpuMs } from '../../../cpu-time.js'

const world = useGitWorld()
const directory = (): string => world().repository.directory
const local = (path = directory()): string => `file://${path}`
const pollError = (remote = local()): Promise<Error> => errorOf(poll(remote))

async function poll(remote = local()): Promise<unknown> {
  const seen = (await world().source.poll(remote, ['main'], never)).get('main')
  if (seen instanceof Error) throw seen
  return seen
}

/** Two commits, and `stable` at the first. */
async function released(): Promise<Promotion> {
  const { repository } = world()
  const first = await repository.commit({ files: { a: '1' }, tags: ['stable'] })
  const commit = await repository.commit({ files: { a: '2' } })
  return {
    tag: 'stable',
    expected: { object: first, commit: first },
    commit,
    by: 'ana',
    note: 'A week without complaints',
  }
}

async function useAll(promotion: Promotion): Promise<void> {
  const { source } = world()
  await poll()
  await source.fetch(local(), sha1(promotion.commit), never)
  const tip = await source.tips.promote(local(), promotion, never)
  await source.tips.describe(local(), { ...tip, ref: 'refs/tags/stable' }, never)
  await source.tips.direction(local(), { from: promotion.expected!.commit, to: promotion.commit }, never)
}

describe('what a repository names as a command is never run', () => {
  /** From git's documentation of its settings: each value names a program, a hook or a command line. */
  const commandKeys = `
    core.alternateRefsCommand core.fsmonitor core.sshCommand core.gitProxy core.editor core.pager core.askPass
    pager.upload-pack pager.receive-pack credential.helper uploadpack.packObjectsHook gc.recentObjectsHook
    remote.origin.uploadpack remote.origin.receivepack remote.origin.vcs hook.mine.command sequence.editor
    gpg.program gpg.ssh.program gpg.x509.program gpg.openpgp.program gpg.ssh.defaultKeyCommand browser.x.cmd
    filter.x.clean filter.x.smudge filter.x.process diff.external diff.x.textconv diff.x.command merge.x.driver
    alias.upload-pack alias.receive-pack alias.pack-objects mergetool.x.cmd difftool.x.cmd interactive.diffFilter
    submodule.x.update sendemail.smtpServer man.x.cmd trailer.x.cmd web.browser imap.tunnel tar.x.command
  `
    .trim()
    .split(/\s+/)
  /** What makes git run them: hooks by name, a promisor, automatic maintenance, signed pushes, all at once. */
  const occasions: readonly (readonly [string, string])[] = [
    ...['pre-receive', 'update', 'post-receive', 'reference-transaction', 'proc-receive'].map(
      (one) => ['hook.mine.event', one] as const,
    ),
    ['receive.procReceiveRefs', 'refs/tags'],
    ['receive.certNonceSeed', 'seed'],
    ['receive.autogc', 'true'],
    ['gc.auto', '1'],
    ['remote.origin.url', 'ssh://example.com/x'],
    ['remote.origin.promisor', 'true'],
    ['core.repositoryFormatVersion', '1'],
    ['extensions.partialClone', 'origin'],
  ]
  const hooks = [
    'pre-receive',
    'update',
    'post-receive',
    'post-update',
    'reference-transaction',
    'proc-receive',
    'pre-auto-gc',
  ]

  /** A script that says in `ran` that it ran, and by what name. */
  function plant(file: string): string {
    writeFileSync(file, `#!/bin/sh\necho "$0 $*" >> ${join(world().root, 'ran')}\ncat > /dev/null\n`, { mode: 0o755 })
    return file
  }
  const ran = (): string =>
    existsSync(join(world().root, 'ran')) ? readFileSync(join(world().root, 'ran'), 'utf8') : ''

  test('at a poll, a fetch, a promotion and a check of ancestry', async () => {
    const promotion = await released()
    const planted = join(world().root, 'planted')
    mkdirSync(planted)
    const lines = commandKeys.map((key) => [key, plant(join(planted, key))] as const)
    for (const name of hooks) for (const at of [planted, join(directory(), 'hooks')]) plant(join(at, name))
    for (const [key, value] of [...lines, ...occasions, ['core.hooksPath', planted] as const]) {
      const [, section = '', name = '', last = ''] = /^([^.]+)\.(?:(.+)\.)?([^.]+)$/.exec(key)!
      const head = name === '' ? `[${section}]` : `[${section} "${name}"]`
      appendFileSync(join(directory(), 'config'), `${head}\n\t${last} = ${value}\n`)
    }
    await useAll(promotion)
    expect(ran()).toBe('')
  })

  test('in a file that its configuration includes, and no error repeats that file', async () => {
    const promotion = await released()
    const included = join(world().root, 'included')
    writeFileSync(
      included,
      `[core]\n\talternateRefsCommand = ${plant(join(world().root, 'script'))}\nnot-to-be-shown\n`,
    )
    writeFileSync(join(directory(), 'config'), `[include]\n\tpath = ${included}\n[core]\n\tbare = true\n`)
    await useAll(promotion)
    expect(ran()).toBe('')
  })

  test('at a promotion in a repository that has alternates', async () => {
    const promotion = await released()
    const script = plant(join(world().root, 'script'))
    await git(directory(), 'config', 'core.alternateRefsCommand', script)
    await git(world().root, 'init', '-q', '--bare', 'other.git')
    writeFileSync(join(directory(), 'objects', 'info', 'alternates'), `${join(world().root, 'other.git', 'objects')}\n`)
    expect(await errorOf(world().source.tips.promote(local(), promotion, never))).toMatchObject({
      code: 'source/borrowed-objects',
    })
    expect(ran()).toBe('')
  })
})

describe('files outside the allowed directories', () => {
  /** A repository outside, and its commit. */
  async function outside(): Promise<{ readonly path: string; readonly commit: string }> {
    const commit = await world().repository.commit({ files: { secret: 'x' } })
    const path = join(world().root, 'outside.git')
    cpSync(directory(), path, { recursive: true })
    return { path, commit }
  }

  test('a repository that borrows objects is refused, and the clone command is in the hint', async () => {
    const { path } = await outside()
    await git(world().root, 'clone', '-q', '--bare', '--shared', path, 'served/shared.git')
    const at = join(world().root, 'served', 'shared.git')
    const error = await pollError(local(at))
    expect(error).toMatchObject({ name: 'Rejected', code: 'source/borrowed-objects' })
    expect(error).toHaveProperty(
      'hint',
      `Use a clone that has all its objects: git clone --mirror --no-local ${at} CLONE`,
    )
    await git(world().root, 'clone', '-q', '--mirror', '--no-local', at, 'served/clone.git')
    await poll(local(join(world().root, 'served', 'clone.git')))
  })

  test('objects that are borrowed after the check are not read', async () => {
    const { path, commit } = await outside()
    const empty = join(world().root, 'served', 'empty.git')
    await git(world().root, 'init', '-q', '--bare', '-b', 'main', empty)
    cpSync(join(path, 'refs'), join(empty, 'refs'), { recursive: true })
    const alternates = join(empty, 'objects', 'info', 'alternates')
    const swapping = { on: true }
    const swap = (async () => {
      while (swapping.on) {
        writeFileSync(alternates, `${path}/objects\n`)
        await new Promise(setImmediate)
        rmSync(alternates)
        await new Promise(setImmediate)
      }
    })()
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(await errorOf(world().source.fetch(local(empty), sha1(commit), never))).toBeInstanceOf(Error)
    }
    swapping.on = false
    await swap
  })

  test.each([
    ['objects', 'objects'],
    ['refs', 'refs'],
    ['objects/pack', 'objects/pack'],
    ['packed-refs', 'packed-refs'],
    ['shallow', 'shallow'],
    ['HEAD', 'HEAD'],
    ['refs/heads', 'refs/heads'],
  ])('a repository whose %s is a link is refused by its path', async (_, name) => {
    const { path } = await outside()
    const at = join(directory(), name)
    rmSync(at, { recursive: true, force: true })
    symlinkSync(existsSync(join(path, name)) ? join(path, name) : '/etc/passwd', at)
    const error = await pollError()
    expect(error).toMatchObject({ name: 'Rejected', code: 'source/linked-repository' })
    expect(error.message).toContain(`${at} is a symbolic link`)
  })

  test('a folder of objects and a pack that are links are refused', async () => {
    const { path } = await outside()
    const folder = readdirSync(join(directory(), 'objects')).find((name) => name.length === 2)!
    rmSync(join(directory(), 'objects', folder), { recursive: true })
    symlinkSync(join(path, 'objects', folder), join(directory(), 'objects', folder))
    expect(await pollError()).toMatchObject({ code: 'source/linked-repository' })
    rmSync(join(directory(), 'objects', folder))
    symlinkSync(join(path, 'x.pack'), join(directory(), 'objects', 'pack', 'x.pack'))
    expect(await pollError()).toMatchObject({ code: 'source/linked-repository' })
  })

  test.each([
    ['a branch', 'refs/heads/leak'],
    ['a folder of branches', 'refs/heads/team/leak'],
    ['a ref below other folders', 'refs/a/b/c/leak'],
  ])('%s that is a link is refused, and no id of the file elsewhere is shown', async (_, name) => {
    await outside()
    const [victim, at] = [join(world().root, 'victim'), join(directory(), name)]
    writeFileSync(victim, `${'5'.repeat(40)}\n`)
    mkdirSync(dirname(at), { recursive: true })
    symlinkSync(victim, at)
    const error = await errorOf(world().source.poll(local(), [name], never))
    expect(error).toMatchObject({ name: 'Rejected', code: 'source/linked-repository' })
    expect(error.message).toContain(`${at} is a symbolic link`)
    expect(JSON.stringify(error) + error.message).not.toContain('5555')
  })

  test('a loose object that is a link is refused', async () => {
    const { path, commit } = await outside()
    const object = join('objects', commit.slice(0, 2), commit.slice(2))
    rmSync(join(directory(), object))
    symlinkSync(join(path, object), join(directory(), object))
    const error = await pollError()
    expect(error).toMatchObject({ name: 'Rejected', code: 'source/linked-repository' })
    expect(error.message).toContain(`${join(directory(), object)} is a symbolic link`)
  })

  test.each(['refs/tags/pipe', 'objects/pack/pack-1.idx', 'packed-refs'])(
    'a pipe at %s is refused, not waited for',
    async (name) => {
      await outside()
      rmSync(join(directory(), name), { force: true })
      execFileSync('mkfifo', [join(directory(), name)])
      const error = await pollError()
      expect(error).toMatchObject({ name: 'Rejected', code: 'source/linked-repository' })
      expect(error.message).toBe(`${join(directory(), name)} is not a regular file.`)
    },
  )

  test('a folder of refs whose name is not UTF-8 is refused, as what is in it cannot be checked', async () => {
    await outside()
    mkdirSync(Buffer.concat([Buffer.from(join(directory(), 'refs', 'heads', 'x')), Buffer.from([0xff])]))
    expect(await pollError()).toMatchObject({ name: 'Rejected', code: 'source/linked-repository' })
  })

  test('5,000 refs, each in a folder of its own, are checked within a quarter of a second of processor time', async () => {
    const { commit } = await outside()
    for (let at = 0; at < 5_000; at++) {
      mkdirSync(join(directory(), 'refs', 'heads', `d${at}`))
      writeFileSync(join(directory(), 'refs', 'heads', `d${at}`, 'x'), `${commit}\n`)
    }
    expect(await cpuMs(poll)).toBeLessThan(600) // twice, for a busy machine; promises took 1,250
  })

  test('files of refs beyond limits.refsBytes are refused with the command that packs them', async () => {
    const { commit } = await outside()
    const source = world().restart({ limits: { ...LIMITS, refsBytes: 4096 } })
    for (let at = 0; at < 100; at++) writeFileSync(join(directory(), 'refs', 'tags', `t${at}`), `${commit}\n`)
    const error = await errorOf(source.poll(local(), ['refs/heads/main'], never))
    expect(error).toMatchObject({
      code: 'source/refs-too-large',
      hint: expect.stringContaining('git pack-refs --all') as string,
    })
    await git(directory(), 'pack-refs', '--all')
    expect((await source.poll(local(), ['refs/heads/main'], never)).get('refs/heads/main')).toHaveProperty('state')
  })

  test.each([
    ['a .git that is a link', (work: string, path: string) => symlinkSync(path, join(work, '.git'))],
    ['a .git file', (work: string, path: string) => writeFileSync(join(work, '.git'), `gitdir: ${path}\n`)],
    [
      'a commondir',
      (work: string, path: string) => {
        mkdirSync(join(work, '.git'))
        writeFileSync(join(work, '.git', 'HEAD'), 'ref: refs/heads/main\n')
        writeFileSync(join(work, '.git', 'commondir'), `${path}\n`)
      },
    ],
  ])('%s that points outside is refused', async (_, lead) => {
    const { path } = await outside()
    const work = join(world().root, 'served', 'work')
    mkdirSync(work)
    lead(work, path)
    expect(await pollError(local(work))).toMatchObject({ code: 'source/directory-not-allowed' })
  })

  test("a parent replaced by a link during a read never exposes a ref of the link's target", async () => {
    const { path } = await outside()
    await git(path, 'update-ref', 'refs/heads/hidden', 'main')
    const [inside, kept] = [join(world().root, 'served', 'team'), join(world().root, 'served', 'kept')]
    mkdirSync(inside)
    cpSync(directory(), join(inside, 'a.git'), { recursive: true })
    mkdirSync(join(world().root, 'elsewhere'))
    renameSync(path, join(world().root, 'elsewhere', 'a.git'))
    const swapping = { on: true }
    const swap = (async () => {
      while (swapping.on) {
        renameSync(inside, kept)
        symlinkSync(join(world().root, 'elsewhere'), inside)
        await new Promise(setImmediate)
        rmSync(inside)
        renameSync(kept, inside)
        await new Promise(setImmediate)
      }
    })()
    for (let attempt = 0; attempt < 15; attempt++) {
      const seen = await world()
        .source.poll(local(join(inside, 'a.git')), ['refs/heads/hidden'], never)
        .catch(() => new Map())
      expect(seen.get('refs/heads/hidden') ?? new Error()).toBeInstanceOf(Error)
    }
    swapping.on = false
    await swap
  })
})

describe.runIf(process.getuid!() === 0)('a repository of another user', () => {
  async function givenAway(): Promise<void> {
    await released()
    chownSync(directory(), 12345, 12345)
  }

  test('is refused with the entry that would allow it', async () => {
    await givenAway()
    const error = await pollError()
    expect(error).toMatchObject({ name: 'Rejected', code: 'source/other-owner' })
    expect(error.message).toBe(`${directory()} belongs to user 12345; gitmoor runs as user 0.`)
    expect((error as { hint?: string }).hint).toContain(
      `allow: {directories: [{path: '${join(world().root, 'served')}', owner: 12345}]}`,
    )
  })

  test('is read where an entry above it names that user, and no other one', async () => {
    await givenAway()
    const allowing = (owner: number) =>
      world().restart({ allow: { directories: [{ path: join(world().root, 'served'), owner }] } })
    expect((await allowing(12345).poll(local(), ['main'], never)).get('main')).toHaveProperty('state')
    expect(await errorOf(allowing(12346).poll(local(), ['main'], never))).toMatchObject({ code: 'source/other-owner' })
  })

  test('has what is promoted as its own', async () => {
    const promotion = await released()
    await git(directory(), 'gc', '--quiet')
    for (const name of ['', 'objects', 'objects/pack', 'refs', 'refs/tags'])
      chownSync(join(directory(), name), 12345, 12345)
    chmodSync(join(directory(), 'refs', 'tags'), 0o2775)
    const allow = { directories: [{ path: join(world().root, 'served'), owner: 12345 }] }
    await world().restart({ allow }).tips.promote(local(), promotion, never)
    expect(statSync(join(directory(), 'refs', 'tags', 'stable'))).toMatchObject({
      uid: 12345,
      gid: 12345,
      mode: 0o100664,
    })
  })
})

test('a repository whose refs are in the reftable format is refused with the command that converts it', async () => {
  await world().repository.commit({ files: { a: '1' } })
  writeFileSync(join(directory(), 'HEAD'), 'ref: refs/heads/.invalid\n')
  expect(await pollError()).toMatchObject({
    code: 'source/ref-format',
    hint: expect.stringContaining('git refs migrate') as string,
  })
})

test.each([
  ['a work tree of git worktree', ['worktree', 'add', '-q', '../tree', 'other']],
  [
    'a clone with its git directory elsewhere',
    ['clone', '-q', '--separate-git-dir', '../apart', '-b', 'other', '.', '../tree'],
  ],
])('%s is followed by its own HEAD', async (_, args) => {
  const { repository, source } = world()
  await repository.commit({ files: { a: '1' } })
  await git(directory(), 'branch', 'other')
  await git(directory(), ...args)
  const seen = await source.poll(local(join(directory(), '..', 'tree')), ['HEAD'], never)
  expect(seen.get('HEAD')).toMatchObject({ name: 'refs/heads/other' })
})

describe('a promotion on this machine', () => {
  test('moves a tag that git packed, and stays valid for git', async () => {
    const promotion = await released()
    await git(directory(), 'pack-refs', '--all')
    const tip = await world().source.tips.promote(local(), promotion, never)
    expect(await git(directory(), 'rev-parse', 'stable')).toBe(tip.object)
    expect(await git(directory(), 'for-each-ref', '--format=%(refname) %(objecttype)', 'refs/tags')).toBe(
      'refs/tags/stable tag',
    )
    await git(directory(), 'pack-refs', '--all')
    const back = { ...promotion, expected: tip, commit: promotion.expected!.commit }
    await world().source.tips.promote(local(), back, never)
    expect(await git(directory(), 'rev-parse', 'stable^{commit}')).toBe(promotion.expected!.commit)
    await git(directory(), 'fsck', '--strict', '--full')
  })

  test.each([
    ['a tag below its name', 'stable', 'stable/1', []],
    ['a packed tag below its name', 'stable', 'stable/1', ['pack-refs', '--all']],
    ['a tag above its name', 'stable/1', 'stable', []],
    ['a packed tag above its name', 'stable/1', 'stable', ['pack-refs', '--all']],
    ['a packed tag far above its name', 'a/b/c', 'a', ['pack-refs', '--all']],
  ])('is refused where there is %s', async (_, tag, other, args) => {
    const promotion = await released()
    await git(directory(), 'tag', '-d', 'stable')
    await git(directory(), 'tag', other)
    if (args.length > 0) await git(directory(), ...args)
    const error = await errorOf(world().source.tips.promote(local(), { ...promotion, tag, expected: null }, never))
    expect(error).toMatchObject({ code: 'source/push-refused' })
    expect(await git(directory(), 'tag', '--list')).toBe(other)
  })

  test('takes the place of an empty directory', async () => {
    const promotion = await released()
    await git(directory(), 'pack-refs', '--all')
    mkdirSync(join(directory(), 'refs', 'tags', 'stable'))
    const tip = await world().source.tips.promote(local(), promotion, never)
    expect(await git(directory(), 'rev-parse', 'stable')).toBe(tip.object)
  })

  test.each<[string, (tag: string) => void]>([
    ['locked by another process', (tag) => writeFileSync(`${tag}.lock`, '')],
    ['a symbolic ref', (tag) => writeFileSync(tag, 'ref: refs/heads/main\n')],
    [
      'a link to another file',
      (tag) => {
        rmSync(tag)
        symlinkSync(join(world().root, 'victim'), tag)
      },
    ],
  ])('is refused where the tag is %s', async (_, spoil) => {
    const promotion = await released()
    writeFileSync(join(world().root, 'victim'), promotion.expected!.object)
    spoil(join(directory(), 'refs', 'tags', 'stable'))
    const error = await errorOf(world().source.tips.promote(local(), promotion, never))
    expect(['source/push-refused', 'source/linked-repository', 'source/tag-moved']).toContain(
      (error as { code?: string }).code,
    )
    expect(readFileSync(join(world().root, 'victim'), 'utf8')).toBe(promotion.expected!.object)
    expect(await git(directory(), 'rev-parse', 'main')).toBe(promotion.commit)
  })

  test('never writes through a folder that is a link', async () => {
    const promotion = await released()
    mkdirSync(join(world().root, 'victim'))
    symlinkSync(join(world().root, 'victim'), join(directory(), 'refs', 'tags', 'team'))
    const error = await errorOf(
      world().source.tips.promote(local(), { ...promotion, tag: 'team/stable', expected: null }, never),
    )
    expect(error).toMatchObject({ code: 'source/linked-repository' })
    expect(readdirSync(join(world().root, 'victim'))).toEqual([])
  })

  test('to a commit that the repository does not have is refused', async () => {
    const promotion = await released()
    const error = await errorOf(world().source.tips.promote(local(), { ...promotion, commit: '1'.repeat(40) }, never))
    expect(error).toMatchObject({ code: 'source/commit-missing' })
    expect(await git(directory(), 'rev-parse', 'stable')).toBe(promotion.expected!.object)
  })
})

test('a view that the disk refuses is retried, with a hint', async () => {
  await world().repository.commit({ files: { a: '1' } })
  mkdirSync(join(world().root, 'data'))
  writeFileSync(join(world().root, 'data', 'mirrors'), 'in the way')
  expect(await pollError()).toMatchObject({
    name: 'Unavailable',
    code: 'source/disk',
    message: expect.stringContaining('a part of its path is not a directory') as string,
  })
})

test('views are made again after somebody removed the data of the source', async () => {
  const { root, source, repository } = world()
  const commit = await repository.commit({ files: { a: '1' } })
  await source.fetch(local(), sha1(commit), never)
  rmSync(join(root, 'data', 'mirrors'), { recursive: true })
  expect(await poll()).toMatchObject({ state: sha1(commit) })
  const next = await repository.commit({ files: { a: '2' } })
  await source.fetch(local(), sha1(next), never)
})
