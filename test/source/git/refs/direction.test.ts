// How two commits are related, by commits alone, over real servers: those that send commits without their files, and
// those that do not.
import { readdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { attackScale } from '../../../attack/scale.js'
import { Dice } from '../../../random/dice.js'
import type { Repository } from '../../../git-server.js'
import { errorOf, LIMITS, never, useGitWorld } from '../../git-world.js'

const world = useGitWorld()

/** Commits in the order they were made: each with up to three of those before as parents, some with none. */
async function randomHistory(repository: Repository, dice: Dice, count: number): Promise<readonly string[]> {
  const tree = await repository.git('rev-parse', `${await repository.commit({ files: { a: '1' } })}^{tree}`)
  const commits: string[] = []
  for (let at = 0; at < count; at++) {
    const parents = new Set(
      Array.from(
        { length: dice.chance(15) ? 0 : 1 + dice.below(3) },
        () => commits[at - 1 - dice.below(Math.min(6, at))],
      ),
    )
    const known = [...parents].flatMap((parent) => (parent === undefined ? [] : [`parent ${parent}\n`]))
    const author = `Test <test@example.com> ${1_700_000_000 + dice.below(1000)} +0000`
    commits.push(
      await repository.write(
        'commit',
        `tree ${tree}\n${known.join('')}author ${author}\ncommitter ${author}\n\n${at}\n`,
      ),
    )
  }
  return commits
}

/** By commit: itself and its ancestors, as git lists their parents. */
async function ancestries(
  repository: Repository,
  commits: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const listed = await repository.git('rev-list', '--parents', '--topo-order', '--reverse', ...commits)
  const known = new Map<string, ReadonlySet<string>>()
  for (const [commit = '', ...parents] of listed.split('\n').map((line) => line.split(' ')))
    known.set(commit, new Set([commit, ...parents.flatMap((parent) => [...known.get(parent)!])]))
  return known
}

test.each([
  ['sends commits without their files', true, 2],
  ['sends commits with their files only', false, 2],
  ['speaks version 0 only', true, 0],
] as const)('over random histories it says what git says, where the server %s', async (_, allowed, version) => {
  const { repository, source, server, remote } = world()
  server.speak(version)
  await repository.git('config', 'uploadpack.allowFilter', String(allowed))
  await repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  const dice = new Dice(allowed ? 11 : 12)
  const commits = await randomHistory(repository, dice, 30)
  const ancestors = await ancestries(repository, commits)
  const answers = { forward: 0, back: 0, diverged: 0 }
  const pairs = attackScale() < 1 ? 20 : 100
  for (let pair = 0; pair < pairs; pair++) {
    const [from, to] = [dice.pick(commits), dice.pick(commits)]
    const [isForward, isBack] = [ancestors.get(to)!.has(from), ancestors.get(from)!.has(to)]
    const expected = isForward ? 'forward' : isBack ? 'back' : 'diverged'
    expect(await source.tips.direction(remote, { from, to }, never), `${from} to ${to}`).toBe(expected)
    answers[expected]++
  }
  expect(Math.min(...Object.values(answers)), 'each direction is answered').toBeGreaterThan(0)
})

test('a move to a commit of an unrelated history diverges', async () => {
  const { repository, source, remote } = world()
  const from = await repository.commit({ files: { a: '1' } })
  const to = await repository.commit({ files: { b: '1' }, from: null })
  expect(await source.tips.direction(remote, { from, to }, never)).toBe('diverged')
  expect(await source.tips.direction(remote, { from, to: from }, never)).toBe('forward')
})

test('a force-push of rewritten commits diverges, one of an older commit goes back', async () => {
  const { repository, source, remote } = world()
  const base = await repository.commit({ files: { a: '1' } })
  await repository.commit({ files: { a: '2' } })
  const from = await repository.commit({ files: { a: '3' } })
  const rewritten = await repository.commit({ files: { a: '4' }, from: base })
  expect(await source.tips.direction(remote, { from, to: rewritten }, never)).toBe('diverged')
  expect(await source.tips.direction(remote, { from, to: base }, never)).toBe('back')
})

test('the direction from a commit that the remote no longer has is unknown, unless its copy is a child', async () => {
  const { repository, source, remote } = world()
  const to = await repository.commit({ files: { a: '1' } })
  expect(await source.tips.direction(remote, { from: 'a'.repeat(40), to }, never)).toBe('unknown')
  const from = await repository.commit({ files: { a: '2' } })
  await source.fetch(remote, `sha1:${from}`, never)
  await repository.git('update-ref', 'refs/heads/main', to)
  await repository.git('reflog', 'expire', '--expire=now', '--all')
  await repository.git('gc', '--prune=now')
  expect(await source.tips.direction(remote, { from, to }, never)).toBe('back')
})

test('a commit that the remote does not have is an error', async () => {
  const { repository, source, remote } = world()
  const from = await repository.commit({ files: { a: '1' } })
  expect(await errorOf(source.tips.direction(remote, { from, to: 'a'.repeat(40) }, never))).toMatchObject({
    code: 'source/commit-missing',
  })
})

test('one push of one commit that is here costs no request, and no other move costs files', async () => {
  const { repository, source, server, remote } = world()
  await repository.git('config', 'uploadpack.allowFilter', 'true')
  const first = await repository.commit({ files: { a: 'x'.repeat(1000) } })
  const commits = [first]
  for (let at = 0; at < 20; at++)
    commits.push(await repository.commit({ files: { a: Buffer.from(`${at}`.repeat(20_000)) } }))
  await source.fetch(remote, `sha1:${commits.at(-1)!}`, never)
  server.reset()
  expect(await source.tips.direction(remote, { from: commits.at(-2)!, to: commits.at(-1)! }, never)).toBe('forward')
  expect(await source.tips.direction(remote, { from: commits.at(-1)!, to: commits.at(-2)! }, never)).toBe('back')
  expect(server.seen).toHaveLength(0)
  expect(await source.tips.direction(remote, { from: first, to: commits.at(-1)! }, never)).toBe('forward')
  expect(server.seen).toHaveLength(1)
  expect(server.sentBytes).toBeLessThan(8_000)
})

test('if the history between them is too long, the result is unknown', async () => {
  const { repository, restart, remote } = world()
  const from = await repository.commit({ files: { a: '1' } })
  const noise = (at: number): Buffer => Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7919 * (at + 3)) % 251))
  let to = from
  for (let at = 0; at < 5; at++) to = await repository.commit({ files: { a: noise(at) } })
  const source = restart({ limits: { ...LIMITS, packBytes: 400 } })
  expect(await source.tips.direction(remote, { from, to }, never)).toBe('unknown')
})

test('of a remote whose history is cut off, what lies behind is not known', async () => {
  const { repository, source, remote } = world()
  const from = await repository.commit({ files: { a: '1' } })
  const middle = await repository.commit({ files: { a: '2' } })
  const to = await repository.commit({ files: { a: '3' } })
  await repository.git('update-ref', 'refs/heads/other', from)
  writeFileSync(`${repository.directory}/shallow`, `${middle}\n`)
  expect(await source.tips.direction(remote, { from: 'a'.repeat(40), to }, never)).toBe('unknown')
  expect(await source.tips.direction(remote, { from, to }, never)).toBe('forward')
})

test('nothing that was sent to find it out is kept', async () => {
  const { repository, source, root, remote } = world()
  const from = await repository.commit({ files: { a: '1' } })
  const to = await repository.commit({ files: { a: '2' } })
  await source.tips.direction(remote, { from, to }, never)
  const left = readdirSync(`${root}/data/mirrors`, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(pack|idx)$/.test(name),
  )
  expect(left).toEqual([])
})
