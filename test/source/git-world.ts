import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { GitSource, type GitSourceOptions } from '../../src/source/git/git-source.js'
import type { SourceSpec } from '../../src/model/sources/source-spec.js'
import type { SourceLimits } from '../../src/source/source.js'
import { makeRepository, startGitServer, type GitServer, type Repository } from '../git-server.js'
import { openAccess, type AccessOptions } from './access.js'

export const LIMITS: SourceLimits = {
  gitRequestMs: 60_000,
  fetchMs: 60_000,
  packBytes: 32 * 1024 * 1024,
  fileBytes: 4 * 1024 * 1024,
  files: 10_000,
  totalBytes: 64 * 1024 * 1024,
  depth: 32,
  refsBytes: 16 * 1024 * 1024,
}

/** The state that a commit is. */
export const sha1 = (commit: string): string => `sha1:${commit}`

/** A source of a stack that follows `main` of a repository. */
export const gitSpec = (url: string): SourceSpec => ({ kind: 'git', url, ref: 'main', path: '' })

export const never = new AbortController().signal

/** A temporary directory with a served repository, and a source that may read it both ways. */
export interface GitWorld {
  readonly root: string
  readonly server: GitServer
  readonly repository: Repository
  /** The repository's address over http. */
  readonly remote: string
  readonly source: GitSource
  /** Another source over the same mirrors, as after a restart, or with other settings. */
  readonly restart: (options?: Partial<GitSourceOptions> & AccessOptions) => GitSource
}

/** Makes a world before each test of the file, and takes it away after it; `once`: one for all of them. */
export function useGitWorld({ once = false } = {}): () => GitWorld {
  const [before, after] = once ? [beforeAll, afterAll] : [beforeEach, afterEach]
  let world: GitWorld | undefined
  let opened: AsyncDisposable[] = []
  before(async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'gitmoor-source-')))
    const served = join(root, 'served')
    const repository = await makeRepository(served)
    const server = await startGitServer(served)
    const restart = (options: Partial<GitSourceOptions> & AccessOptions = {}): GitSource => {
      const access = openAccess({ networks: options.allow?.networks ?? [], ...options })
      opened.push(access)
      return new GitSource({
        directory: join(root, 'data', 'mirrors'),
        limits: LIMITS,
        allow: { directories: [{ path: served }] },
        dataDirectory: join(root, 'data'),
        access,
        searchPath: process.env['PATH'] ?? '',
        ...options,
      })
    }
    world = { root, server, repository, remote: `${server.url}/${repository.name}`, source: restart(), restart }
  })
  after(async () => {
    for (const one of opened) await one[Symbol.asyncDispose]()
    opened = []
    await world?.server.close()
    if (world !== undefined) rmSync(world.root, { recursive: true, force: true })
    world = undefined
  })
  return () => {
    if (world === undefined) throw new Error('There is a world only inside a test.')
    return world
  }
}

/** The error that `work` ends with. */
export async function errorOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => {
      throw new Error('It did not fail.')
    },
    (error: unknown) => error as Error,
  )
}
