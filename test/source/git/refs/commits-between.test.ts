// The commits between two commits of a repository, as real git has them.
import { describe, expect, test } from 'vitest'
import { errorOf, never, useGitWorld } from '../../git-world.js'

const world = useGitWorld()

/** Commits, each with the one before it as parent. */
async function line(count: number): Promise<readonly string[]> {
  const { repository } = world()
  await repository.git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  const commits: string[] = []
  for (let at = 0; at < count; at++)
    commits.push(await repository.commit({ files: { a: `${at}` }, message: `Change ${at}\n\nBecause.` }))
  return commits
}

const idsOf = async (from: string, to: string, most = 50): Promise<readonly [readonly string[], boolean]> => {
  const { source, remote } = world()
  const { commits, more } = await source.tips.commitsBetween(remote, { from, to, most }, never)
  return [commits.map(({ id }) => id), more]
}

describe('the commits between two commits', () => {
  test.each([
    ['sends commits without their files', true, 2],
    ['sends commits with their files only', false, 2],
    ['speaks version 0 only', true, 0],
  ] as const)('are those of the second one without the first, where the server %s', async (_, allowed, version) => {
    const { repository, source, server, remote } = world()
    const commits = await line(6)
    server.speak(version)
    await repository.git('config', 'uploadpack.allowFilter', String(allowed))
    expect(await idsOf(commits[1]!, commits[4]!)).toEqual([[commits[4], commits[3], commits[2]], false])
    const found = await source.tips.commitsBetween(remote, { from: commits[1]!, to: commits[4]!, most: 50 }, never)
    expect(found.commits[0]).toMatchObject({ name: 'Test', message: 'Change 4\n\nBecause.' })
  })

  test('are none of an ancestor, and none of the same commit', async () => {
    const commits = await line(3)
    expect(await idsOf(commits[2]!, commits[0]!)).toEqual([[], false])
    expect(await idsOf(commits[2]!, commits[2]!)).toEqual([[], false])
  })

  test('are bounded, and say that there are more', async () => {
    const commits = await line(6)
    expect(await idsOf(commits[0]!, commits[5]!, 2)).toEqual([[commits[5], commits[4]], true])
    expect(await idsOf(commits[0]!, commits[5]!, 5)).toEqual([commits.slice(1).reverse(), false])
  })

  test('of a merge are those of both sides', async () => {
    const { repository } = world()
    const [base, left] = await line(2)
    const right = await repository.commit({ files: { b: '1' }, from: base! })
    const tree = await repository.git('rev-parse', `${right}^{tree}`)
    const author = 'Test <test@example.com> 1700000000 +0000'
    const merge = await repository.write(
      'commit',
      `tree ${tree}\nparent ${left}\nparent ${right}\nauthor ${author}\ncommitter ${author}\n\nmerge\n`,
    )
    const [ids, more] = await idsOf(base!, merge)
    expect([new Set(ids), more]).toEqual([new Set([merge, left, right]), false])
    expect((await idsOf(left!, merge))[0]).toEqual([merge, right])
  })

  test('of a commit that the remote does not have are an error', async () => {
    const { source, remote } = world()
    const [from] = await line(1)
    const asked = source.tips.commitsBetween(remote, { from: from!, to: 'a'.repeat(40), most: 5 }, never)
    expect(await errorOf(asked)).toMatchObject({ code: 'source/commit-missing' })
  })

  test('are not kept: the copy of the remote stays as it is', async () => {
    const { source, server, remote } = world()
    const commits = await line(3)
    await source.tips.commitsBetween(remote, { from: commits[0]!, to: commits[2]!, most: 5 }, never)
    server.reset()
    await source.tips.commitsBetween(remote, { from: commits[0]!, to: commits[2]!, most: 5 }, never)
    expect(server.seen).toHaveLength(1)
  })
})
