// A server that sends another pack than the one that was asked for: it is refused, nothing of it is kept, and the right
// one is taken afterwards.
import { expect, test } from 'vitest'
import { Unavailable } from '../../src/model/errors.js'
import type { BackendAnswer } from '../git-server.js'
import { errorOf, never, sha1, useGitWorld } from './git-world.js'
import { blob, pack } from './packs.js'

const world = useGitWorld()

/** Answers each request for a pack with this one. */
function sendInstead(bytes: Buffer): void {
  world().server.intercept(async ({ body }, response, backend) => {
    const { status, headers, body: right } = await backend()
    response.writeHead(status, headers).end(body.includes('command=fetch') ? bytes : right)
  })
}

/** What the server answers to this fetch. */
async function answerTo(fetch: () => Promise<void>): Promise<Buffer> {
  let answer: BackendAnswer | undefined
  world().server.intercept(async (_, response, backend) => {
    answer = await backend()
    response.writeHead(answer.status, answer.headers).end(answer.body)
  })
  await fetch()
  world().server.intercept(undefined)
  return answer!.body
}

const packet = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
const inPackets = (bytes: Buffer): Buffer =>
  Buffer.concat([
    packet(Buffer.from('packfile\n')),
    packet(Buffer.concat([Buffer.from([1]), bytes])),
    Buffer.from('0000'),
  ])

/** Of two commits in a row, of which the second is asked for. */
type Wrong = (commits: readonly [string, string]) => Promise<Buffer>

const wrongs: Readonly<Record<string, Wrong>> = {
  'of another commit': ([first]) =>
    answerTo(() =>
      world()
        .restart({ directory: `${world().root}/a` })
        .fetch(world().remote, sha1(first), never),
    ),
  'that leans on what is not here': async ([first, second]) => {
    const other = world().restart({ directory: `${world().root}/b` })
    await other.fetch(world().remote, sha1(first), never)
    return answerTo(() => other.fetch(world().remote, sha1(second), never))
  },
  'of no objects': () => Promise.resolve(inPackets(pack([]))),
  'of a file that was not requested': () => Promise.resolve(inPackets(pack([blob('hello')]))),
  'with a wrong sum': () =>
    Promise.resolve(inPackets(Buffer.concat([pack([blob('hello')]).subarray(0, -1), Buffer.from('x')]))),
  'of no bytes': () => Promise.resolve(inPackets(Buffer.alloc(0))),
}

test.each(Object.entries(wrongs))('a pack %s is refused, and the right one is taken afterwards', async (_, wrong) => {
  const { repository, remote, source } = world()
  const lines = Array.from({ length: 300 }, (_unused, at) => `line ${at}`)
  const first = await repository.commit({ files: { a: lines.join('\n'), kept: 'as it is' } })
  const second = await repository.commit({ files: { a: [...lines, 'one more'].join('\n') } })
  sendInstead(await wrong([first, second]))
  const error = await errorOf(source.fetch(remote, sha1(second), never))
  expect(error).toBeInstanceOf(Unavailable)
  expect(['source/damaged', 'source/incomplete', 'source/truncated']).toContain((error as Unavailable).code)
  expect(error.message).toContain(remote)
  expect(
    await errorOf(
      world()
        .restart()
        .files(remote, sha1(second), '', () => true, never),
    ),
  ).toBeInstanceOf(Unavailable)
  world().server.intercept(undefined)
  const files = await source.files(remote, sha1(second), '', () => true, never)
  expect(files.map(({ path, bytes }) => [path, bytes.length])).toEqual([
    ['a', lines.join('\n').length + 9],
    ['kept', 8],
  ])
})
