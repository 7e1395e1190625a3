import type { Source } from '../../src/source/source.js'
import type { RefTips } from '../../src/source/ref-tips.js'
import { GitSource, type GitSourceOptions } from '../../src/source/git/git-source.js'
import { makeRepository, startGitServer, type GitServer, type Repository } from '../git-server.js'
import { MemoryGit } from '../memory-git.js'
import type { AnyRepository, MemoryRepository } from '../memory-repository.js'

/** Where the repository of a world is, and how an agent reads it. */
export interface Hosting<S = unknown, R extends AnyRepository = AnyRepository> {
  readonly server: S
  readonly repository: R
  /** The repository's address. */
  readonly url: string
  readonly openSource: (options: GitSourceOptions) => Source & { readonly tips: RefTips }
  readonly close: () => Promise<void>
}

export async function inMemory(): Promise<Hosting<MemoryGit, MemoryRepository>> {
  const server = new MemoryGit()
  const repository = server.makeRepository()
  return { ...around(server, repository), openSource: (options) => server.openSource(options) }
}

/** A real repository below a directory, behind `git http-backend`. */
export async function served(directory: string): Promise<Hosting<GitServer, Repository>> {
  const repository = await makeRepository(directory)
  return { ...around(await startGitServer(directory), repository), openSource: (options) => new GitSource(options) }
}

function around<S extends { readonly url: string; close(): Promise<void> }, R extends AnyRepository>(
  server: S,
  repository: R,
): Omit<Hosting<S, R>, 'openSource'> {
  return { server, repository, url: `${server.url}/${repository.name}`, close: () => server.close() }
}
