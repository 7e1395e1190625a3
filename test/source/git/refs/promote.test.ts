// A tag is moved by a push of our own, at once or not at all, at real servers.
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RefTip } from '../../../../src/model/sources/channel.js'
import { Refused, Rejected } from '../../../../src/model/errors.js'
import type { GitSource } from '../../../../src/source/git/git-source.js'
import type { Promotion } from '../../../../src/source/ref-tips.js'
import { errorOf, never, useGitWorld } from '../../git-world.js'

const world = useGitWorld()
const pusher = (): GitSource => world().restart({ mayPush: () => true })

async function tipOf(tag: string): Promise<RefTip> {
  const { repository } = world()
  const [object, commit] = [
    await repository.git('rev-parse', tag),
    await repository.git('rev-parse', `${tag}^{commit}`),
  ]
  return { object, commit }
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
    note: 'A week without complaints\n\nReally.',
  }
}

test('a tag is moved by an annotated one that says who and why, which git and its strictest checks take', async () => {
  const { repository, server, remote } = world()
  await repository.git('config', 'receive.fsckObjects', 'true')
  const promotion = await released()
  server.reset()
  const tip = await pusher().tips.promote(remote, promotion, never)
  expect(server.seen.map(({ url }) => url)).toEqual([`/${repository.name}/git-receive-pack`])
  expect(await tipOf('stable')).toEqual(tip)
  expect(tip.commit).toBe(promotion.commit)
  const text = await repository.git('cat-file', 'tag', 'stable')
  expect(text).toMatch(
    /^object .{40}\ntype commit\ntag stable\ntagger ana <> \d+ \+0000\n\nA week without complaints\n\nReally\.$/,
  )
  expect(await pusher().tips.describe(remote, { ...tip, ref: 'refs/tags/stable' }, never)).toMatchObject({
    tag: { name: 'ana', message: 'A week without complaints\n\nReally.' },
    signature: { state: 'none' },
  })
  await repository.git('fsck', '--strict', '--full')
})

test('a tag that is not there yet is made, and moved again', async () => {
  const { remote } = world()
  const promotion = { ...(await released()), tag: 'boards/stable' }
  const first = await pusher().tips.promote(remote, { ...promotion, expected: null }, never)
  expect(await tipOf('boards/stable')).toEqual(first)
  const back = await pusher().tips.promote(
    remote,
    { ...promotion, expected: first, commit: promotion.expected!.commit },
    never,
  )
  expect(await tipOf('boards/stable')).toEqual(back)
})

test.each([
  [
    'moved by another client meanwhile',
    async (commit: string) => world().repository.tag('stable', commit, { annotated: true }),
    'is now at',
  ],
  ['taken away meanwhile', async () => world().repository.remove('refs/tags/stable'), 'was deleted'],
])('a tag that was %s stays unchanged, and the error says where it is', async (_, meanwhile, words) => {
  const { repository, remote } = world()
  const promotion = await released()
  const other = await repository.commit({ files: { a: '3' } })
  await meanwhile(other)
  const before = await repository.git('for-each-ref', 'refs/tags')
  const error = await errorOf(pusher().tips.promote(remote, promotion, never))
  expect(error).toBeInstanceOf(Refused)
  expect(error).toMatchObject({
    status: 'conflict',
    code: 'source/tag-moved',
    message: expect.stringContaining(words) as string,
  })
  expect(await repository.git('for-each-ref', 'refs/tags')).toBe(before)
})

test('without permission to push, nothing is sent, and the hint names the setting', async () => {
  const { source, server, remote } = world()
  const promotion = await released()
  server.reset()
  const error = await errorOf(source.tips.promote(remote, promotion, never))
  expect(error).toBeInstanceOf(Rejected)
  expect(error).toMatchObject({
    code: 'source/push-not-allowed',
    hint: expect.stringContaining('push: true') as string,
  })
  expect(server.seen).toHaveLength(0)
})

test('a refusal quotes the server, without terminal control characters', async () => {
  const { repository, remote } = world()
  const promotion = await released()
  const hook = join(repository.directory, 'hooks', 'update')
  writeFileSync(hook, '#!/bin/sh\nprintf "stable is protected \\033[31m" >&2\nexit 1\n')
  chmodSync(hook, 0o755)
  const error = await errorOf(pusher().tips.promote(remote, promotion, never))
  expect(error).toMatchObject({
    code: 'source/push-refused',
    message: expect.stringContaining('stable is protected \\u{1b}[31m') as string,
  })
  expect(await tipOf('stable')).toEqual(promotion.expected)
})

test('an answer that is lost on its way is no failure where the tag moved', async () => {
  const { server, remote } = world()
  const promotion = await released()
  server.intercept(async ({ url }, response, backend) => {
    const { status, headers, body } = await backend()
    if (url.endsWith('git-receive-pack')) response.destroy()
    else response.writeHead(status, headers).end(body)
  })
  const tip = await pusher().tips.promote(remote, promotion, never)
  expect(await tipOf('stable')).toEqual(tip)
})

test('a push that never arrived is the failure that it was', async () => {
  const { server, remote } = world()
  const promotion = await released()
  server.intercept(async ({ url }, response, backend) => {
    if (url.endsWith('git-receive-pack')) return void response.destroy()
    const { status, headers, body } = await backend()
    response.writeHead(status, headers).end(body)
  })
  expect(await errorOf(pusher().tips.promote(remote, promotion, never))).toMatchObject({ code: 'source/unreachable' })
  expect(await tipOf('stable')).toEqual(promotion.expected)
})

test('a repository on this machine needs no credential, and none of its hooks is run', async () => {
  const { repository, source, root } = world()
  const promotion = await released()
  for (const name of ['pre-receive', 'update', 'post-receive']) {
    writeFileSync(join(repository.directory, 'hooks', name), `#!/bin/sh\ntouch ${join(root, 'ran')}\nexit 1\n`)
    chmodSync(join(repository.directory, 'hooks', name), 0o755)
  }
  const tip = await source.tips.promote(`file://${repository.directory}`, promotion, never)
  expect(await tipOf('stable')).toEqual(tip)
  expect(existsSync(join(root, 'ran'))).toBe(false)
})

test.each([
  ['a name with marks of git', { by: 'Ana <root>\nobject 1' }],
  ['a name that is empty', { by: ' <> ' }],
  ['a reason that resembles a signature', { note: '-----BEGIN PGP SIGNATURE-----\nabcd' }],
  ['a reason with zeros', { note: 'a\0b' }],
])('%s makes a tag that is well formed, and not signed', async (_, odd) => {
  const { repository, remote } = world()
  await repository.git('config', 'receive.fsckObjects', 'true')
  const tip = await pusher().tips.promote(remote, { ...(await released()), ...odd }, never)
  await repository.git('fsck', '--strict', '--full')
  const facts = await pusher().tips.describe(remote, { ...tip, ref: 'refs/tags/stable' }, never)
  expect(facts.signature).toEqual({ state: 'none' })
  expect(facts.tag?.tag).toBe('stable')
})
